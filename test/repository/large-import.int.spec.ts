import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EventStore } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { git, RepositoryBench } from './repository-bench.fixture.js';

const FILES = 20_000;
let bench: RepositoryBench;
let origin: string;
beforeAll(async () => {
  bench = await RepositoryBench.open();
  origin = join(bench.root, 'large.git');
  mkdirSync(origin);
  git(origin, 'init', '--quiet', '--bare', '--initial-branch=main');
  const content = (index: number): string => `file ${index} of a large repository\n`;
  const files = Array.from({ length: FILES }, (_, index) => {
    const text = content(index);
    return `M 100644 inline packages/package-${index % 500}/source/file-${index}.ts\ndata ${Buffer.byteLength(text)}\n${text}`;
  });
  const commit = 'commit refs/heads/main\ncommitter Ada <ada@example.org> 1767225600 +0000\ndata 5\nfirst\n';
  execFileSync('git', ['fast-import', '--quiet'], { cwd: origin, input: `${commit}${files.join('\n')}\n` });
}, 120_000);
afterAll(() => bench?.close());

it('an import of 20,000 files is one event, and takes few queries', { timeout: 300_000 }, async () => {
  const engine = bench.createEngine([]);
  const jobId = await engine.submit({ repository: { path: origin, ref: 'main' } });
  let queries = 0;
  const counted = new Proxy(bench.pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        if (name === 'query' || name === 'connect') queries += 1;
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  await bench.createWork({}, new EventStore(counted)).run(jobId, 'import', new AbortController().signal);
  const imported = (await bench.eventsOf(jobId, 'RepositoryImported')) as readonly {
    readonly fileCount: number;
    readonly tree: object;
  }[];
  expect(imported.map(({ fileCount }) => fileCount)).toEqual([FILES]);
  expect((await bench.readEvents(jobId)).map(({ type }) => type)).toEqual(['JobSubmitted', 'RepositoryImported']);
  // 40 batches of files, one query for each file of .git, and the append.
  const ofGit = Object.keys(imported[0]!.tree).length - FILES;
  expect(ofGit).toBeLessThan(30);
  expect(queries).toBeLessThan(40 + ofGit + 10);
  const { rows } = await bench.pool.query<{ bytes: number }>(
    `SELECT octet_length(data::text) AS bytes FROM phaseline.events WHERE type = 'RepositoryImported'`,
  );
  // Path, hash, size and time of each file.
  expect(rows[0]!.bytes / FILES).toBeLessThan(220);
});
