import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Raised by hand when the meaning of the fold changes but none of the hashed inputs below does. */
const GENERATION = 2;

const root = join(import.meta.dirname, '../../../..');
const entryFiles = [
  'libs/domain/src/job/job-state.ts',
  'libs/domain/src/phase/evolve-phase.ts',
  'libs/repository/src/fold/outline.ts',
  // The fold shortens the arguments of calls with it.
  'libs/checks/src/call-record.ts',
];

/** Reads the sources of the fold: its entry files, and everything they import from their own project. */
async function readSources(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    if (found.has(path)) return;
    const text = (await readFile(join(root, path), 'utf8')).replaceAll('\r\n', '\n');
    found.set(path, text);
    for (const [, from] of text.matchAll(/ from '(\.{1,2}\/[^']+)\.js'/g))
      await visit(relative(root, join(root, dirname(path), `${from}.ts`)));
  };
  for (const path of entryFiles) await visit(path);
  return new Map([...found].sort());
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

// Written by `npx vitest run libs/repository/src/snapshot/fold-version.unit.spec.ts -u`.
it('matches the current sources and the shapes of all events', async () => {
  const files = await readSources();
  expect(files.size).toBeGreaterThan(10);
  const shapes = [...jobEventDefinitions, ...phaseEventDefinitions].map(({ type, version, data }) => [
    type,
    version,
    z.toJSONSchema(data, { unrepresentable: 'any', io: 'output' }),
  ]);
  const version = hash([GENERATION, shapes, hash([...files])]).slice(0, 16);
  await expect(
    `/**
 * Version of this release's fold: sixteen hex digits of a hash over the shapes of all events and the sources of the fold. A snapshot made
 * by another fold is never read, so a release with a changed fold starts without snapshots. Written by fold-version.unit.spec.ts (run it
 * with -u when they change), because computing it would take every service half a second at its start.
 */
export const foldVersion = '${version}';
`,
  ).toMatchFileSnapshot('fold-version.ts');
});
