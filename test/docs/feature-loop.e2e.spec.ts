import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { followPage } from './follow-page.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-loop-'));
  for (const name of ['agents', 'repositories']) await mkdir(join(folder, name));
  // The reader is another user than the one who runs the spec.
  for (const path of [folder, join(folder, 'agents'), join(folder, 'repositories')]) await chmod(path, 0o777);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('the page of the feature loop can be followed', { timeout: 800_000 }, async () => {
  const repositories = join(folder, 'repositories');
  const blocks = await followPage('docs/how-to/feature-loop.md', {
    as: 'ordinary user',
    env: {
      EXAMPLE: fileURLToPath(new URL('../../agents/feature-lead/example', import.meta.url)),
      REPOSITORIES: repositories,
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_REPOSITORY_ROOTS: repositories,
    },
  });
  const [, watched, read, proved, taken, verified] = blocks.map(({ output }) => output);
  expect(watched).toContain('due-dates is blocked after 2 failed attempts');
  expect(watched).toContain('The exit code is 7.');
  expect(read).toContain('2 of 3 features are tested, 1 blocked.');
  expect(proved).toMatch(/phase passed +3 +accepted +\d+ +3 +verifier unit, verifier api, judge diff-review/);
  expect(proved).toContain('audit verify passed');
  expect(taken).toContain('search-todos, attempt 2\nsearch-todos, attempt 1\ncomplete-todo, attempt 1\nBegin\n');
  expect(taken).toMatch(/pass 8\n[^]*fail 0\n/);
  expect(verified).toMatch(/^The agent tester-agent is valid\.\nunit: passed\n8 tests passed\./);
});
