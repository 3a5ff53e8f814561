import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-checks-'));
  for (const name of ['agents', 'workflows']) await mkdir(join(folder, name));
  // The reader may be another user than the one who runs the spec.
  for (const path of [folder, join(folder, 'agents'), join(folder, 'workflows')]) await chmod(path, 0o777);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each(findReaders('checks'))('the page of checks can be followed as %s', { timeout: 800_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/checks.md', {
    as,
    env: { PHASELINE_AGENTS_DIR: join(folder, 'agents'), PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows') },
  });
  const [created, mistaken, proved, refused, derived] = blocks.map(({ output }) => output);
  expect(created).toBe('The agent digester is valid.');
  expect(mistaken).toMatch(/digest\.yaml:13:\d+: [^\n]*unknown key 'minBites'\nThe exit code is 1\.$/);
  expect(proved).toMatch(/^todo 1 +1 +accepted +\d+ +2 +output\/digest\.md, 1 event$/m);
  expect(proved).toMatch(/^phase written +1 +accepted +\d+ +2 +output\/digest\.md$/m);
  expect(proved).toMatch(/^job completed +accepted/m);
  expect(refused).toContain('5 claims in a row were refused');
  expect(refused).toContain('The exit code is 1.');
  expect(refused!.match(/✗ expected output\/digest\.md: at least 5000 bytes [^\n]*; found: \d+/g)).toHaveLength(5);
  expect(derived).toMatch(/audit verify passed[^\n]*, 3 of 3 accepted claims derived again/);
});
