import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Sandbox } from './sandbox.js';
import type { SandboxCommand } from './sandbox-command.js';

// There is no container engine here. A program in its place records how it was called, and runs nothing.

/** Records its arguments and the file of variables. Answers the test of the sandbox, waits when asked to, and else prints a line. */
const ENGINE = `#!/bin/sh
record="$(dirname "$0")/calls"
printf '%s\\n' "$@" > "$record.new.$$"
for one in "$@"; do
  if [ "$before" = --env-file ]; then { echo 'variables:'; cat "$one"; } >> "$record.new.$$"; fi
  before="$one"
done
echo "environment: $(env | grep -c SECRET_OF_SERVICE)" >> "$record.new.$$"
{ cat "$record.new.$$"; echo ===; } >> "$record"
rm "$record.new.$$"
case "$*" in
  *'echo contained'*) echo contained;;
  *wait-for-me*) exec sleep 600;;
  *) echo 'an engine ran';;
esac
`;

interface Call {
  readonly args: readonly string[];
  readonly variables: readonly string[];
  readonly environment: string;
}

let root: string;
let sandbox: Sandbox;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'container-spec-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['workspace', 'tmp']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'docker'), ENGINE);
  chmodSync(join(root, 'docker'), 0o755);
  process.env['SECRET_OF_SERVICE'] = 'value';
  onTestFinished(() => void delete process.env['SECRET_OF_SERVICE']);
  sandbox = new Sandbox({ mode: 'container', containerProgram: join(root, 'docker'), containerImage: 'tools:1' });
});

function readCalls(): readonly Call[] {
  const calls = readFileSync(join(root, 'calls'), 'utf8').split('\n===\n').slice(0, -1);
  return calls.map((text) => {
    const lines = text.split('\n');
    const environment = lines.pop()!;
    const at = lines.indexOf('variables:');
    return { args: at < 0 ? lines : lines.slice(0, at), variables: at < 0 ? [] : lines.slice(at + 1), environment };
  });
}

/** Every container is removed afterwards, whether or not it still exists. */
const findLastRun = (): Call => readCalls().findLast(({ args }) => args[0] === 'run')!;

function command(changes: Partial<SandboxCommand> = {}): SandboxCommand {
  return {
    file: 'make',
    args: ['all', 'a b', '$(echo x)'],
    cwd: 'sub',
    env: { TOKEN: 'a secret' },
    folders: { folder: join(root, 'workspace'), tmp: join(root, 'tmp') },
    limits: {
      timeoutMs: 60_000,
      maxMemoryBytes: 128 * 1024 ** 2,
      maxProcesses: 10,
      maxFileBytes: 4_096,
      maxDiskBytes: 2 ** 30,
    },
    ...changes,
  };
}

const run = (changes: Partial<SandboxCommand> = {}, signal = new AbortController().signal) =>
  sandbox.run(command(changes), { maxOutputBytes: 1_000 }, signal);

/** The values that follow an option. */
const valuesOf = ({ args }: Call, option: string): readonly string[] =>
  args.flatMap((one, index) => (args[index - 1] === option ? [one] : []));

it('starts a container that has the folders of the job, no network, no rights and the limits', async () => {
  const end = await run();
  expect(end.stdout.text()).toBe('an engine ran\n');
  const call = findLastRun();
  expect(call.args).toContain('--rm');
  for (const flag of ['--read-only', '--init', '--interactive']) expect(call.args).toContain(flag);
  expect(call.args).not.toContain('--privileged');
  expect(
    Object.fromEntries(
      ['--network', '--cap-drop', '--security-opt', '--memory', '--memory-swap', '--pids-limit', '--workdir'].map(
        (option) => [option, valuesOf(call, option)],
      ),
    ),
  ).toEqual({
    '--network': ['none'],
    '--cap-drop': ['ALL'],
    '--security-opt': ['no-new-privileges'],
    '--memory': [`${128 * 1024 ** 2}`],
    '--memory-swap': [`${128 * 1024 ** 2}`],
    '--pids-limit': ['224'],
    '--workdir': ['/workspace/sub'],
  });
  expect(valuesOf(call, '--user')).toEqual([`${process.getuid!()}:${process.getgid!()}`]);
  expect(valuesOf(call, '--ulimit')).toEqual(['core=1', 'fsize=4096']);
  expect(valuesOf(call, '--mount')).toEqual([
    `type=bind,source=${join(root, 'workspace')},target=/workspace`,
    `type=bind,source=${join(root, 'tmp')},target=/tmp`,
  ]);
  // The command is passed as arguments, which no shell reads.
  expect(call.args.slice(call.args.indexOf('tools:1') + 1)).toEqual([
    ...['-c', '"$0" "$@"; exit $?', 'make', 'all', 'a b', '$(echo x)'],
  ]);
});

it('passes variables in a file, never as arguments or from the service', async () => {
  await run();
  const call = findLastRun();
  expect(call.variables).toContain('TOKEN=a secret');
  expect(call.variables).toContain('HOME=/home/agent');
  expect(call.variables.join('\n')).not.toContain('SECRET_OF_SERVICE');
  expect(call.args.join('\n')).not.toContain('a secret');
  expect(call.environment).toBe('environment: 0');
  await expect(run({ env: { BROKEN: 'two\nlines' } })).rejects.toThrow('The variable BROKEN contains a line break');
});

it('gives a command with network the folder of the proxy, and still no network of its own', async () => {
  await run({ network: ['files.example'] });
  const call = findLastRun();
  expect(valuesOf(call, '--network')).toEqual(['none']);
  expect(valuesOf(call, '--mount').at(-1)).toMatch(/^type=bind,source=\/.*\/proxy,target=\/run\/phaseline,readonly$/);
  expect(call.variables).toContain('HTTPS_PROXY=http://127.0.0.1:3128');
  // The bridge to the proxy runs in the container, with the Node.js of the image.
  const [, , node, option] = call.args.slice(call.args.indexOf('tools:1') + 1);
  expect([node, option]).toEqual(['node', '-e']);
});

it.each(['aborted', 'out of time'])('removes the container of a command that is %s', async (reason) => {
  const aborted = new AbortController();
  await sandbox.check();
  const { limits } = command();
  const ended = run(
    { args: ['wait-for-me'], ...(reason === 'out of time' ? { limits: { ...limits, timeoutMs: 500 } } : {}) },
    aborted.signal,
  );
  ended.catch(() => undefined);
  await expect.poll(() => readCalls().some(({ args }) => args.includes('wait-for-me'))).toBe(true);
  if (reason === 'aborted') aborted.abort(new Error('the job was cancelled'));
  if (reason === 'aborted') await expect(ended).rejects.toThrow('the job was cancelled');
  else expect((await ended).stoppedBy).toMatchObject({ limit: 'time' });
  const calls = readCalls();
  const [name] = valuesOf(
    calls.find(({ args }) => args.includes('wait-for-me'))!,
    '--name',
  );
  expect(calls.at(-1)!.args).toEqual(['rm', '--force', name]);
  for (const { environment } of calls) expect(environment).toBe('environment: 0');
});

it('is refused without an image, without the program, and when the engine does not run a test command', async () => {
  await expect(new Sandbox({ mode: 'container', containerProgram: join(root, 'docker') }).check()).rejects.toThrow(
    /needs an image \(PHASELINE_SANDBOX_IMAGE\)/,
  );
  await expect(
    new Sandbox({ mode: 'container', containerProgram: 'no-such-engine', containerImage: 'tools:1' }).check(),
  ).rejects.toThrow(/needs the program no-such-engine/);
  writeFileSync(join(root, 'docker'), '#!/bin/sh\necho "cannot connect to the daemon" >&2; exit 125\n');
  await expect(sandbox.check()).rejects.toThrow(/a test command failed: cannot connect to the daemon/);
});
