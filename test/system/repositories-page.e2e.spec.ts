import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findReaders, followPage } from '../docs/follow-page.js';

const PAGE = 'docs/how-to/repositories.md';
const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-page-'));
  const page = await readFile(join(root, PAGE), 'utf8');
  await mkdir(join(folder, 'agents/editor'), { recursive: true });
  await writeFile(join(folder, 'agents/editor/agent.yaml'), /^```yaml\n([^]*?)^```$/m.exec(page)![1]!);
  await writeFile(join(folder, 'agents/editor/instructions.md'), 'Add a page with notes to the repository.\n');
  await mkdir(join(folder, 'repositories'));
  await chmod(folder, 0o755);
  // The reader may be another user than the one who runs the spec.
  await chmod(join(folder, 'repositories'), 0o777);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each(findReaders('repositories'))('can be followed as %s', { timeout: 800_000 }, async (as) => {
  const repositories = join(folder, 'repositories');
  const outputs = await followPage(PAGE, {
    as,
    env: {
      REPOSITORIES: repositories,
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_REPOSITORY_ROOTS: repositories,
      PHASELINE_REPOSITORY_PUSH_ROOTS: repositories,
    },
  });
  const [, submitted, patched, pushed] = outputs.map(({ output }) => output);
  expect(submitted).toMatch(/commit {6}[0-9a-f]{40} on main, 1 file/);
  expect(patched).toContain('Editor: Uncommitted work of job ');
  expect(pushed).toContain('branch: 1 commit');
  expect(pushed).toContain('Editor: Uncommitted work of job ');
});
