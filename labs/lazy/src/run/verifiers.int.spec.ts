import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@phaseline/harness';
import { Sandbox } from '@phaseline/sandbox';
import { runVerifier, VerifierFolders } from '@phaseline/verification';
import { contentHash } from '@phaseline/workspace';
import { afterAll, describe, expect, it } from 'vitest';
import { kinds } from '../kinds/kinds.js';
import { applyScript } from '../script/apply-script.fixture.js';
import { writeHonestScript } from '../script/honest-script.js';
import { generateTask } from '../tasks/generate-task.js';
import type { Task } from '../tasks/task.js';
import type { Files } from '../truth/files.js';
import { LabAgents } from './load-agents.js';

const root = mkdtempSync(join(tmpdir(), 'lazy-verifiers-'));
const sandbox = new Sandbox({ mode: 'auto' });
const folders = new VerifierFolders(root);
const agents = await LabAgents.load();
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs the verifiers of a task on files until one does not pass. Returns its name and reason; undefined if all pass. */
async function findRefusal(task: Task, files: Files): Promise<string | undefined> {
  const blobs = new Map<string, Uint8Array>();
  const store = (entries: Iterable<readonly [string, string]>) =>
    Object.fromEntries(
      [...entries].map(([path, text]) => {
        const content = Buffer.from(text);
        const hash = contentHash(content);
        blobs.set(hash, content);
        return [path, { hash, size: content.byteLength, writtenAt: '2026-01-01T00:00:00.000Z' }];
      }),
    );
  const begin = store([...task.documents, ...task.files].map(({ path, content }) => [path, content]));
  const claimed = store(files);
  for (const definition of agents.listVerifiers(task)) {
    const result = await runVerifier(
      { definition, begin, claimed },
      {
        sandbox,
        folders,
        blobs: { get: (hash) => Promise.resolve(blobs.get(hash)) },
        signal: new AbortController().signal,
      },
    );
    if (result.outcome !== 'passed') return `${definition.name} ${result.outcome}: ${result.reason}`;
  }
  return undefined;
}

describe.each(['requirements', 'totals', 'report', 'code'] as const)('the verifiers of the task %s', (name) => {
  it('pass honest work', async () => {
    const task = generateTask(name, 5);
    expect(await findRefusal(task, await applyScript(task, writeHonestScript(task)))).toBeUndefined();
  });

  it.each(kinds.filter(({ task }) => task === name).map((kind) => [kind.name, kind] as const))(
    'refuse the work of %s',
    async (_name, kind) => {
      const task = generateTask(name, 5);
      const files = await applyScript(task, kind.play(writeHonestScript(task), task, new SeededRandom(5)));
      // An error would say nothing about the work.
      expect(await findRefusal(task, files)).toMatch(/^[\w-]+ failed: /);
    },
  );
});
