import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RehearsalCall } from '../../../rehearsal-policy.js';
import { exampleFeatures } from './example-features.js';
import { buildTryScript, parseTried } from './try-script.js';

const example = fileURLToPath(new URL('../../../../../../agents/feature-lead/example/repository', import.meta.url));

let workspace: string;
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'phaseline-example-'));
  await cp(example, join(workspace, 'repository'), { recursive: true });
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

/** Makes a change as the tools `write_file` and `edit_file` do. */
async function apply({ name, arguments: args }: RehearsalCall): Promise<void> {
  const path = join(workspace, String(args['path']));
  if (name === 'write_file') return writeFile(path, String(args['content']));
  const parts = (await readFile(path, 'utf8')).split(String(args['old_text']));
  expect({ path, occurrences: parts.length - 1 }).toEqual({ path, occurrences: 1 });
  return writeFile(path, parts.join(String(args['new_text'])));
}

/** Runs Node.js in the example. A test runner that vitest started would report to vitest. */
function runNode(args: readonly string[], stdin = ''): Promise<{ readonly code: number; readonly stdout: string }> {
  return new Promise((resolve) => {
    const { PATH } = process.env;
    const options = { cwd: join(workspace, 'repository'), env: { PATH } };
    const child = execFile(process.execPath, args, options, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    );
    child.stdin?.end(stdin);
  });
}

it(
  'every attempt fits the files before it and passes its own tests, and the tester finds what is wrong with it',
  { timeout: 120_000 },
  async () => {
    const found: Record<string, readonly (string | undefined)[]> = {};
    for (const { id, attempts, checks, tries } of exampleFeatures) {
      const wrong: (string | undefined)[] = [];
      for (const { changes } of attempts) {
        for (const change of changes) await apply(change);
        const { code, stdout } = await runNode(['--test', '--test-reporter=tap']);
        expect({ id, code, stdout: code === 0 ? '' : stdout }).toEqual({ id, code: 0, stdout: '' });
        for (const name of checks.flatMap(({ tests }) => (tests as readonly string[] | undefined) ?? []))
          expect(stdout).toContain(`- ${name}\n`);
        const tried = parseTried((await runNode(['--input-type=module', '-'], buildTryScript(tries))).stdout);
        expect(tried).toHaveLength(tries.length);
        wrong.push(tried.find(({ works }) => !works)?.tried);
      }
      found[id] = wrong;
    }
    expect(found).toEqual({
      'complete-todo': [undefined],
      'search-todos': ['search in upper case', undefined],
      'due-dates': ['add one for 30 February', 'add one for 30 February'],
    });
  },
);
