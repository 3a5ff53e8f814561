import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretMask } from '@phaseline/basics/secrets';
import { parseNetworks, Sandbox, type SandboxSettings } from '@phaseline/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { computeGuardSetVersion, type GuardSetFile } from '../set/guard-set.js';
import { GuardSetFolders } from './guard-set-folders.js';
import { HookBench, script } from './hook-bench.fixture.js';
import type { CommandGuardRequest } from './run-command-guards.js';

type Handler = Record<string, unknown> & { command: string };

function bench(
  handlers: readonly Handler[],
  files: readonly GuardSetFile[] = [],
  more: Partial<CommandGuardRequest> = {},
) {
  const hooks = { PreToolUse: [{ hooks: handlers.map((one) => ({ type: 'command', ...one })) }] };
  const settings = script('settings.json', JSON.stringify({ hooks, env: { MODE: 'strict' } }));
  return new HookBench([settings, ...files], more);
}

/** A hook that gives a text to the model. */
const SAY = `say() { printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%s"}}' "$1"; }; `;
const say = (expression: string): Handler => ({ command: `${SAY}say "${expression}"` });
const call = { tool: 'read_file', args: { path: 'a.txt' } };
const context = async (one: HookBench): Promise<string | undefined> => (await one.askCall(call))[0]?.context;

describe('what a hook is given', () => {
  it('is the input as JSON, in the working directory of the phase', async () => {
    const one = bench([{ command: 'cat > /tmp/input.json; cp a.txt /tmp/seen.txt; pwd > /tmp/cwd' }]);
    one.put('a.txt', 'one');
    expect(await one.askCall(call)).toEqual([]);
    expect(JSON.parse(readFileSync(join(one.tmp, 'input.json'), 'utf8'))).toEqual({
      session_id: 'job-1',
      transcript_path: '/run/phaseline-hooks/transcript.jsonl',
      cwd: '/workspace',
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Read',
      tool_input: { file_path: '/workspace/a.txt' },
      tool_use_id: 'call-1',
    });
    expect(readFileSync(join(one.tmp, 'seen.txt'), 'utf8')).toBe('one');
    expect(readFileSync(join(one.tmp, 'cwd'), 'utf8')).toBe('/workspace\n');
  });

  it('is a transcript whose lines scripts can read', async () => {
    const command = `grep '"role":"assistant"' "$(sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/')" | tail -n 1 > /tmp/last`;
    const one = bench([{ command }]);
    const messages = [
      { role: 'user', content: 'Begin.' },
      { role: 'assistant', content: 'First.' },
      { role: 'assistant', content: 'Last.' },
    ] as const;
    const occasion = { point: 'PreToolUse', call: { id: '1', ...call }, readText: one.readText } as const;
    await one.ask(occasion, { messages });
    const line = JSON.parse(readFileSync(join(one.tmp, 'last'), 'utf8')) as { message: unknown };
    expect(line.message).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Last.' }] });
  });

  it('is the variables of the protocol and of the guard set, and none of this process', async () => {
    process.env['PHASELINE_SPEC_TOKEN'] = 'ours';
    onTestFinished(() => void delete process.env['PHASELINE_SPEC_TOKEN']);
    const one = bench([{ command: 'env > /tmp/env' }], [], { env: { MODE: 'strict' }, effort: 'high' });
    await one.askCall(call);
    const lines = readFileSync(join(one.tmp, 'env'), 'utf8').trimEnd().split('\n');
    const names = lines.map((line) => line.split('=')[0]!);
    expect(lines).toEqual(
      expect.arrayContaining([
        'CLAUDE_PROJECT_DIR=/workspace',
        'CLAUDE_PLUGIN_ROOT=/run/phaseline-hooks/plugins/policies',
        'CLAUDE_EFFORT=high',
        'CLAUDE_CODE_REMOTE=true',
        'MODE=strict',
      ]),
    );
    expect(names.filter((name) => name.startsWith('PHASELINE'))).toEqual([]);
  });

  it('is no network, unless its list names the host', async () => {
    let requests = 0;
    const server = createServer((_request, response) => void response.end(`${(requests += 1)}`)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const code = `fetch("http://checks.example:${port}/").then(() => process.exit(0), () => process.exit(3))`;
    const path = [join(process.execPath, '..')];
    const handler = { command: `node -e '${code}' || { echo unreachable >&2; exit 2; }` };
    const addresses = {
      allowed: parseNetworks(['127.0.0.0/8']),
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    };
    const terms = { path, sandbox: new Sandbox({ mode: 'auto' }, addresses) };
    const unreachable = [{ decision: 'deny', reason: 'unreachable' }];
    expect(await bench([handler], [], terms).askCall(call)).toEqual(unreachable);
    expect(await bench([handler], [], { ...terms, network: ['other.example'] }).askCall(call)).toEqual(unreachable);
    expect(requests).toBe(0);
    expect(await bench([handler], [], { ...terms, network: [`checks.example:${port}`] }).askCall(call)).toEqual([]);
    expect(requests).toBe(1);
  });

  it('is its declared secrets, which no output shows', async () => {
    const secret = 'hunter2hunter2';
    const one = bench([{ command: 'echo "$TOKEN" >&2; exit 2' }], [], {
      env: { TOKEN: secret },
      mask: new SecretMask({ TOKEN: secret }),
    });
    expect(JSON.stringify(await one.askCall(call))).not.toContain(secret);
  });
});

describe('the folder .claude', () => {
  const check = script('hooks/check.sh', `#!/bin/sh\n${SAY}say "from the set"\n`);

  it('is the guard set for relative paths, for the project folder, and for a program without a shell', async () => {
    for (const handler of [
      { command: '.claude/hooks/check.sh' },
      { command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh' },
      { command: '${CLAUDE_PLUGIN_ROOT}/hooks/check.sh' },
      { command: '${CLAUDE_PROJECT_DIR}/.claude/hooks/check.sh', args: [] },
      { command: 'sh', args: ['.claude/hooks/check.sh'] },
      { command: 'source .claude/hooks/check.sh', shell: 'bash' },
    ])
      expect(await context(bench([handler], [check]))).toBe('from the set');
  });

  it('of the workspace is never seen, also not through a link', async () => {
    const one = bench([{ command: '.claude/hooks/check.sh' }, say('$(echo .claude/*)')], [check]);
    one.put('.claude/hooks/check.sh', 'exit 2');
    one.put('.claude/own.txt', 'x');
    expect((await one.askCall(call)).map((found) => found.context)).toEqual([
      'from the set',
      '.claude/hooks .claude/settings.json',
    ]);
    const other = bench([{ command: '.claude/hooks/check.sh' }], [check]);
    const target = mkdtempSync(join(tmpdir(), 'hooks-spec-'));
    onTestFinished(() => rmSync(target, { recursive: true, force: true }));
    symlinkSync(target, join(other.folder, '.claude'));
    expect(await context(other)).toBe('from the set');
    expect(readdirSync(target)).toEqual([]);
  });

  it('cannot be changed by a hook, and leaves nothing in the working directory', async () => {
    const one = bench(
      [{ command: 'echo "exit 0" > .claude/hooks/check.sh; mkdir .claude/more; rm -rf .claude/hooks; true' }],
      [check],
    );
    await one.askCall(call);
    expect(existsSync(join(one.folder, '.claude'))).toBe(false);
    expect(lstatSync(one.folder).isDirectory()).toBe(true);
    const [version] = readdirSync(join(one.root, 'phaseline-guards'));
    const set = join(one.root, 'phaseline-guards', version!);
    expect(readdirSync(set).sort()).toEqual(['hooks', 'settings.json']);
    expect(readFileSync(join(set, 'hooks/check.sh'))).toEqual(check.content);
  });

  it('is never made from files of another version', async () => {
    const root = mkdtempSync(join(tmpdir(), 'phaseline-guards-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const folders = new GuardSetFolders(root);
    const version = computeGuardSetVersion([check]);
    const place = await folders.open(version, [check]);
    expect(readdirSync(join(place, 'hooks'))).toEqual(['check.sh']);
    await expect(new GuardSetFolders(root).open(version, [script('hooks/check.sh', 'exit 0')])).rejects.toThrow(
      /version/,
    );
    expect(computeGuardSetVersion([{ ...check, isExecutable: false }])).not.toBe(version);
  });
});

describe('how hooks run', () => {
  it('side by side', async () => {
    // Each waits for the other.
    const meet = (own: string, other: string): Handler => ({
      command: `touch /tmp/${own}; until [ -e /tmp/${other} ]; do sleep 0.01; done`,
    });
    expect(await bench([meet('a', 'b'), meet('b', 'a')]).askCall(call)).toEqual([]);
  });

  it('are ended at their time limit: denied, or ignored with onFailure continue', async () => {
    const slow = { command: 'echo \'{"decision":"approve"}\'; sleep 60', timeout: 0.5 };
    const found = await bench([slow, { ...slow, onFailure: 'continue' }]).askCall(call);
    const failure = { code: 'hook_limit_exceeded', message: expect.stringContaining('time limit (500 ms)') };
    expect(found).toEqual([
      { decision: 'deny', reason: expect.stringContaining('time limit'), failure },
      { decision: 'allow', failure },
    ]);
  });

  it('are denied when their program does not exist, or is ended by a signal', async () => {
    const found = await bench([{ command: 'no-such-program' }, { command: 'kill -9 $$' }]).askCall(call);
    expect(found.map(({ decision, failure }) => [decision, failure?.code])).toEqual([
      ['deny', 'hook_exit_code'],
      ['deny', 'hook_killed'],
    ]);
  });

  it('put texts of more than 10,000 characters into a file', async () => {
    const one = bench([{ command: `head -c 10001 /dev/zero | tr '\\0' x >&2; exit 2` }]);
    const [found] = await one.ask({ point: 'PreToolUse', call: { id: '1', ...call }, readText: one.readText });
    const [file] = found!.files;
    expect(file?.content).toBe('x'.repeat(10_001));
    expect(found!.decision?.reason).toContain(`the whole text is in ${file!.path}]`);
    expect(found!.decision!.reason!.length).toBeLessThan(3_000);
  });

  it('are not started when none is fired', async () => {
    const hooks = { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'touch /tmp/ran' }] }] };
    const one = new HookBench([script('settings.json', JSON.stringify({ hooks }))]);
    expect(await one.askCall(call)).toEqual([]);
    expect(existsSync(join(one.tmp, 'ran'))).toBe(false);
  });

  it('end with the call that asks', async () => {
    const signal = AbortSignal.timeout(300);
    const one = bench([{ command: 'sleep 60' }], [], { signal });
    await expect(one.askCall(call)).rejects.toThrow(/timeout/i);
    expect(existsSync(join(one.folder, '.claude'))).toBe(false);
  });
});

describe.each<SandboxSettings>([
  { mode: 'unshare' },
  { mode: 'none' },
  // Root runs commands as another user then, who must be able to read the guard set.
  { mode: 'auto', limitedBy: 'rlimits' },
  { mode: 'auto', limitedBy: 'rlimits', mapsIds: false },
])('in the sandbox %j', (settings) => {
  it('hooks see the guard set and the transcript', async () => {
    const sandbox = new Sandbox(settings);
    const usable = await sandbox.check().then(
      () => true,
      () => false,
    );
    if (!usable) return;
    const check = script(
      'hooks/check.sh',
      `#!/bin/sh\n${SAY}[ -e "$(sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/')" ] && say "seen"\n`,
    );
    const one = bench([{ command: '.claude/hooks/check.sh' }], [check], { sandbox });
    mkdirSync(join(one.folder, '.claude'));
    expect(await context(one)).toBe('seen');
    expect(existsSync(join(one.folder, '.claude'))).toBe(false);
    // As plugins find their own files: as a package of their name.
    const packaged = { command: '"$(dirname "$CLAUDE_PLUGIN_ROOT")/policies/hooks/check.sh"' };
    expect(await context(bench([packaged], [check], { sandbox }))).toBe('seen');
  });
});
