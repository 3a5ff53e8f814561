import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { contentHash, type JobBlobs } from '@phaseline/event-store';
import type { Tree } from '@phaseline/workspace';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { identifyAgent } from './agent-identity.js';
import { checkPath } from './check-source.js';
import { collectOutput, OUTPUT_REF, streamPatch } from './collect-output.js';
import { importRepository } from './import-repository.js';
import { pushBranch } from './push-branch.js';
import {
  createBlobs,
  createMirror,
  createRepository,
  git,
  gitAsAda,
  job,
  JOB_ID,
  makeFolder,
  openGit,
  readWorkspace,
  writeTo,
  writeWorkspace,
} from './repository-on-disk.fixture.js';

const NOW = new Date('2026-01-02T00:00:00.000Z');
const SIGN_OFF = `Signed-off-by: The Coder x <job-${JOB_ID}@phaseline.invalid>`;

let origin: string;
let blobs: JobBlobs;
let base: string;
/** The folder in which the agent works. */
let folder: string;

beforeEach(async () => {
  origin = createRepository({
    'README.md': 'text\n'.repeat(20),
    'bin/run': '#!/bin/sh\n',
    'data.bin': Buffer.from([0, 1, 2, 255]),
    '.gitignore': 'ignored/\n',
  });
  blobs = createBlobs();
  const mirror = createMirror();
  const imported = await importRepository(
    job,
    { path: origin, ref: 'HEAD' },
    {
      git: await openGit(),
      blobs,
      source: await checkPath(origin, { roots: ['/'] }),
      mirror,
      scratch: makeFolder('scratch'),
      limits: { files: 1_000, bytes: 10_000_000 },
      now: NOW,
    },
  );
  base = imported.commit;
  folder = await writeWorkspace(imported.tree, blobs);
});

async function collect(change: (tree: Record<string, Tree[string]>) => void = () => {}) {
  const runner = await openGit();
  const tree = { ...(await readWorkspace(folder, blobs)) };
  change(tree);
  const parts = { git: runner, blobs, identity: identifyAgent(job), scratch: makeFolder('scratch'), changedAt: NOW };
  const output = await collectOutput(JOB_ID, base, tree, parts);
  const chunks = [];
  for await (const chunk of streamPatch(runner, output.repository, base)) chunks.push(chunk);
  return { output, runner, patch: Buffer.concat(chunks).toString('latin1') };
}

/** Applies a patch to the imported commit and returns the hash of the resulting tree. */
function apply(patch: string): string {
  const clone = makeFolder('clone');
  git(clone, ['clone', '--quiet', origin, '.']);
  writeFileSync(join(clone, '../the.patch'), Buffer.from(patch, 'latin1'));
  git(clone, ['-c', 'user.name=B', '-c', 'user.email=b@example.org', 'am', '--quiet', '../the.patch']);
  return git(clone, ['rev-parse', 'HEAD^{tree}']);
}

function commit(message: string, ...options: readonly string[]): void {
  git(folder, ['add', '--all']);
  git(folder, ['commit', '--quiet', ...options, '-m', message]);
}

describe('an output', () => {
  it('is a patch that git am applies: binary files, modes, renames, other alphabets, and work that was not committed', async () => {
    writeTo(folder, 'Übersicht 文.md', 'ü\n');
    writeFileSync(join(folder, 'data.bin'), Buffer.from(Array.from({ length: 2_000 }, (_, index) => index % 256)));
    commit('Größe geändert');
    renameSync(join(folder, 'README.md'), join(folder, 'LIESMICH.md'));
    chmodSync(join(folder, 'bin/run'), 0o644);
    commit('rename');
    commit('empty', '--allow-empty');
    writeTo(folder, 'left.md', 'left\n');
    writeTo(folder, 'ignored/x', 'x');
    const { output, patch } = await collect();
    expect(output).toMatchObject({ commits: 4, includesUncommitted: true });
    expect(apply(patch)).toBe(git(output.repository, ['rev-parse', `${OUTPUT_REF}^{tree}`]));
    const log = git(output.repository, ['log', '--reverse', '--format=%s|%ae', `${base}..${OUTPUT_REF}`]);
    const by = `job-${JOB_ID}@phaseline.invalid`;
    expect(log).toBe(`Größe geändert|${by}\nrename|${by}\nempty|${by}\nUncommitted work of job ${JOB_ID}|${by}\n`);
    expect(git(output.repository, ['ls-tree', '-r', '--name-only', '-z', OUTPUT_REF]).split('\0')).not.toContain(
      'ignored/x',
    );
    expect(patch).toContain('rename to LIESMICH.md');
  });

  it('reads many files with few queries, and large ones in parts', async () => {
    for (let number = 0; number < 300; number += 1) writeTo(folder, `many/${number}.md`, `${number}\n`);
    const large = Buffer.alloc(1024 * 1024 + 1, 'x');
    writeTo(folder, 'large.bin', large);
    const [getAll, stream] = [vi.spyOn(blobs, 'getAll'), vi.spyOn(blobs, 'stream')];
    const { output } = await collect();
    expect(getAll.mock.calls.length).toBeLessThanOrEqual(3);
    expect(stream.mock.calls).toEqual([[contentHash(large)]]);
    expect(git(output.repository, ['ls-tree', '-r', '--name-only', OUTPUT_REF]).split('\n')).toEqual(
      expect.arrayContaining(['many/0.md', 'many/299.md', 'large.bin']),
    );
  });

  it('keeps the hashes of commits that the agent made', async () => {
    writeTo(folder, 'a.md', 'a');
    commit('one');
    const { output } = await collect();
    expect(output).toMatchObject({ commits: 1, includesUncommitted: false });
    expect(output.head).toBe(git(folder, ['rev-parse', 'HEAD']).trim());
  });

  it('signs off every commit, also when the agent disabled the hook', async () => {
    rmSync(join(folder, '.git/hooks'), { recursive: true });
    for (const name of ['one', 'two']) {
      writeTo(folder, name, name);
      commit(name);
    }
    expect(git(folder, ['log', '-1', '--format=%B'])).not.toContain('Signed-off-by');
    const { patch } = await collect();
    expect(patch.split(SIGN_OFF)).toHaveLength(3);
  });

  it('contains the result of merges and of a rewritten history', async () => {
    git(folder, ['switch', '--quiet', '-c', 'side']);
    writeTo(folder, 'side.md', 'side');
    commit('side');
    git(folder, ['switch', '--quiet', 'main']);
    writeTo(folder, 'main.md', 'main');
    commit('main');
    git(folder, ['merge', '--quiet', '--no-edit', 'side']);
    const merged = await collect();
    expect(apply(merged.patch)).toBe(git(folder, ['rev-parse', 'HEAD^{tree}']));
    git(folder, ['switch', '--quiet', '--orphan', 'fresh']);
    writeTo(folder, 'only.md', 'only');
    commit('only');
    const rewritten = await collect();
    expect(rewritten.output.commits).toBe(1);
    expect(apply(rewritten.patch)).toBe(git(folder, ['rev-parse', 'HEAD^{tree}']));
  });

  it('is empty when nothing was changed', async () => {
    const { output, patch } = await collect();
    expect(output).toMatchObject({ commits: 0, includesUncommitted: false, head: base });
    expect(patch).toBe('');
  });

  it('runs nothing that the agent wrote into .git or a folder', async () => {
    const marker = join(makeFolder('marker'), 'ran');
    const evil = `[core]\n\tfsmonitor = touch ${marker}\n\thooksPath = hooks\n[filter "e"]\n\tclean = touch ${marker}\n[include]\n\tpath = x\n`;
    writeTo(folder, 'a.md', 'a');
    commit('one');
    writeFileSync(join(folder, '.git/config'), evil);
    writeFileSync(join(folder, '.git/x'), evil);
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-push'])
      writeTo(folder, `.git/hooks/${hook}`, `#!/bin/sh\ntouch ${marker}\n`);
    writeTo(folder, '.git/info/attributes', '* filter=e\n');
    writeTo(folder, '.gitattributes', '* filter=e diff=e\n');
    writeTo(folder, 'inner/.git/config', evil);
    writeTo(folder, 'inner/.git/HEAD', 'ref: refs/heads/main\n');
    writeTo(folder, 'inner/x.md', 'x');
    const { output } = await collect();
    expect(existsSync(marker)).toBe(false);
    expect(git(output.repository, ['ls-tree', '-r', '--name-only', OUTPUT_REF])).toContain('inner/x.md');
  });

  it('is refused when objects were forged or the imported commit was removed', async () => {
    writeTo(folder, 'a.md', 'genuine\n');
    commit('one');
    const name = git(folder, ['hash-object', '--stdin'], { input: 'genuine\n' }).trim();
    const place = join(folder, '.git/objects', name.slice(0, 2), name.slice(2));
    rmSync(place);
    writeFileSync(place, deflateSync(Buffer.from('blob 7\0forged\n')));
    await expect(collect()).rejects.toMatchObject({ code: expect.stringMatching(/^(repository_damaged|git_failed)$/) });
    const packs = join(folder, '.git/objects/pack');
    for (const pack of readdirSync(packs)) rmSync(join(packs, pack));
    await expect(collect()).rejects.toMatchObject({ code: expect.stringMatching(/^(repository_damaged|git_failed)$/) });
    await expect(collect((tree) => delete tree['repository/.git/HEAD'])).rejects.toMatchObject({
      code: expect.stringMatching(/^(repository_damaged|git_failed)$/),
    });
  });
});

describe('a branch', () => {
  it('is pushed once, does not run hooks of the target, and does not overwrite other work', async () => {
    const marker = join(makeFolder('marker'), 'ran');
    for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction'])
      writeTo(origin, `.git/hooks/${hook}`, `#!/bin/sh\ntouch ${marker}\n`);
    writeTo(folder, 'a.md', 'a');
    commit('one');
    const { output, runner } = await collect();
    const target = await checkPath(origin, { roots: ['/'] });
    await pushBranch(runner, output.repository, target, 'phaseline/x');
    await pushBranch(runner, output.repository, target, 'phaseline/x');
    expect(git(origin, ['rev-parse', 'phaseline/x']).trim()).toBe(output.head);
    expect(existsSync(marker)).toBe(false);
    gitAsAda(origin, 'switch', '--quiet', 'phaseline/x');
    writeTo(origin, 'b.md', 'b');
    gitAsAda(origin, 'add', '--all');
    gitAsAda(origin, 'commit', '--quiet', '-m', 'by a person');
    gitAsAda(origin, 'switch', '--quiet', 'main');
    await expect(pushBranch(runner, output.repository, target, 'phaseline/x')).rejects.toMatchObject({
      code: 'push_refused',
    });
    expect(readFileSync(join(origin, '.git/refs/heads/phaseline/x'), 'utf8').trim()).not.toBe(output.head);
  });
});
