import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-verifiers-'));
  await put('agents/coder/agent.yaml', 'name: coder\ndisplayName: Coder\ntools: { workspace: [read_file] }\n');
  await put('agents/coder/instructions.md', 'Do it.\n');
  await put('agents/coder/verifiers/shell.yaml', 'name: shell\nargv: [sh, run.sh]\ninputs: [run.sh]\n');
  await put(
    'agents/coder/verifiers/token.yaml',
    `name: token\nargv: [sh, -c, 'echo "1..1"; echo "ok 1 - \${#TOKEN} $TOKEN"']\nenv: { TOKEN: '\${secret:API_TOKEN}' }\nsecrets: [API_TOKEN]\nreads: { tap: stdout }\n`,
  );
  await put('project/run.sh', 'set -e; cat data.txt link.txt; test -x tool; ls -A');
  await put('project/data.txt', 'of the project\n');
  await put('project/tool', '');
  await chmod(join(folder, 'project/tool'), 0o755);
  await symlink('data.txt', join(folder, 'project/link.txt'));
  await put('project/node_modules/x/index.js', '');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function run(...args: readonly string[]) {
  return runWith({}, ...args);
}

async function runWith(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const host = createFakeHost({
    env: { PHASELINE_AGENTS_DIR: join(folder, 'agents'), ...env },
    currentDirectory: folder,
  });
  const code = await runCli(['verifiers', ...args], host);
  return { code, out: host.stdout.text, error: host.stderr.text };
}

describe('phaseline verifiers', () => {
  it('lists those of an agent', async () => {
    const { out } = await run('list', 'coder');
    expect(out).toMatch(/^shell +command +exit code +sh run\.sh$/m);
    expect(JSON.parse((await run('list', 'coder', '--json')).out)).toMatchObject({
      items: [{ name: 'shell', argv: ['sh', 'run.sh'] }, { name: 'token' }],
    });
    expect((await run('list', 'creator')).error).toContain('has no verifier');
  });

  it('runs one on the files of a folder, without its dependencies', async () => {
    const { code, out } = await run('run', 'coder', 'shell', '--dir', 'project', '--output');
    expect([code, out]).toEqual([0, expect.stringMatching(/^shell: passed\nThe command ended with exit code 0\.\n/)]);
    expect(out).toContain('of the project\nof the project\ndata.txt\nlink.txt\nrun.sh\ntool\n');
  });

  it('puts inputs back, and exits with 1 when it fails', async () => {
    await put('later/run.sh', 'exit 0');
    const { code, out } = await run('run', 'coder', 'shell', '--dir', 'later', '--begin', 'project', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ verifier: 'shell', outcome: 'failed', changedInputs: ['run.sh'] });
  });

  it('takes secrets from variables, and masks them in the output', async () => {
    const { code, error } = await run('run', 'coder', 'token');
    expect([code, error]).toEqual([
      4,
      expect.stringContaining('uses the secret API_TOKEN. Set a variable of that name'),
    ]);
    const { out } = await runWith({ API_TOKEN: 'hunter2hunter2' }, 'run', 'coder', 'token', '--output');
    expect(out).toMatch(/ok 1 - 14 /);
    expect(out).not.toContain('hunter2');
  });

  it.each([
    [['run', 'coder', 'shel'], /There is no verifier "shel"\. Did you mean "shell"\?/],
    [['run', 'codr', 'shell'], /There is no agent "codr"/],
    [['run', 'coder', 'shell', '--dir', 'nowhere'], /There is no folder .*nowhere/],
  ])('explains what is wrong with %j', async (args, message) => {
    const { code, error } = await run(...args);
    expect([code, error]).toEqual([4, expect.stringMatching(message)]);
    expect(error).not.toMatch(/ {4}at /);
  });
});
