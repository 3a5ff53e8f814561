import type { CommandSettings } from '@phaseline/contracts';
import { MAX_RESULT_OUTPUT } from '@phaseline/pack-specs';
import { describe, expect, it } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { createCommandsBench, makeTemporaryFolder, sandbox } from './commands-bench.fixture.js';
import { createCommandsPack } from './commands-pack.js';
import { DiskFolders } from './folder/disk-folders.js';

const bench = createCommandsBench;
const node = (script: string, more: Record<string, unknown> = {}) => ({
  program: 'node',
  args: ['-e', script],
  ...more,
});

describe('run_command: allowed programs', () => {
  it('runs nothing for an agent without command settings', async () => {
    const off = new RemoteToolBench(createCommandsPack({ folders: new DiskFolders(makeTemporaryFolder()), sandbox }));
    expect(await off.runForError('run_command', { program: 'cat' })).toMatch(/^commands_off: /);
    expect(await off.runForError('run_command', { command: 'true' })).toMatch(/^commands_off: /);
  });

  it('runs only programs on the list, by the names on it', async () => {
    const one = bench();
    expect(await one.runForError('run_command', { program: 'ls' })).toMatch(/^not_allowed: .*node, sh, cat/);
    expect(await one.runForError('run_command', { program: '/bin/cat' })).toMatch(/^not_allowed: /);
    expect(await one.runForError('run_command', { program: '../../bin/cat' })).toMatch(/^not_allowed: /);
    expect(
      await bench({ allow: ['no-such-program'] }).runForError('run_command', { program: 'no-such-program' }),
    ).toMatch(/^program_missing: /);
  });

  it('passes arguments to no shell unless the settings allow one', async () => {
    const one = bench();
    one.put('a.txt', 'text');
    expect(await one.call('run_command', { program: 'cat', args: ['a.txt; echo $HOME', '$(echo hi)'] })).toMatch(
      /Exit code 1.*\n[\s\S]*a\.txt; echo \$HOME/,
    );
    expect(await one.runForError('run_command', { command: 'echo hi' })).toMatch(/^no_shell: /);
    expect(await bench({ shell: true }).call('run_command', { command: 'echo $((40 + 2)) | cat' })).toContain('42');
  });

  it('takes effect and timeout from the settings, and describes the allowed programs', () => {
    const tool = bench().getTool('run_command');
    expect(tool.effect).toBe('once');
    const settings = { allow: ['make'], shell: false, effect: 'idempotent', timeoutMs: 5_000 } as CommandSettings;
    expect(tool.adjust?.({ commands: settings })).toMatchObject({
      effect: 'idempotent',
      timeoutMs: 65_000,
      note: 'Allowed programs: make.',
    });
  });
});

describe('run_command: services', () => {
  const serve = `require('node:http').createServer((_, response) => response.end('served')).listen(8080, '127.0.0.1')`;
  const ask = `fetch('http://127.0.0.1:8080').then(async (response) => console.log(await response.text()))`;
  const start = (script: string): CommandSettings['services'] => [
    { argv: ['node', '-e', script], ready: { port: 8080 }, timeoutMs: 30_000 },
  ];

  it('run beside each command and end with it', async () => {
    const services = start(serve);
    const one = bench({ services });
    for (const _ of ['first', 'second']) expect(await one.call('run_command', node(ask))).toContain('served');
    const settings = { allow: [], shell: false, effect: 'once', timeoutMs: 1, services } as never;
    expect(one.getTool('run_command').adjust?.({ commands: settings })).toMatchObject({
      note: expect.stringContaining('Started beside each command, and ended with it: node -e'),
    });
  });

  it('that do not start are named, and the command is not run', async () => {
    const one = bench({ services: start('process.exit(4)') });
    const text = await one.call('run_command', node(`require('node:fs').writeFileSync('ran.txt', '')`));
    expect(text).toMatch(
      /^Service 1 \(node -e process\.exit\(4\)\) ended before it was ready \(exit code 4\), so the command was not started\.\n/,
    );
    expect(one.workspace.tree).toEqual({});
  });
});

describe('run_command: structured result', () => {
  it('has the exit code and the outputs, bounded and without secrets, also of a program that was stopped', async () => {
    process.env['SPEC_TOKEN'] = 'hunter2hunter2';
    const one = bench({ env: { TOKEN: '${SPEC_TOKEN}' } });
    const script = `console.log(process.env.TOKEN); console.error('x'.repeat(20_000)); process.exit(3)`;
    const { result } = await one.run('run_command', node(script));
    expect(result).toMatchObject({ exitCode: 3, timedOut: false, stdout: expect.not.stringContaining('hunter2') });
    expect(String(result?.['stderr']).length).toBeLessThanOrEqual(MAX_RESULT_OUTPUT);
    const stopped = await one.run('run_command', node('setInterval(() => {}, 1_000)', { timeout_seconds: 1 }));
    expect(stopped.result).toEqual({ exitCode: null, stdout: '', stderr: '', timedOut: true });
  });
});

describe('run_command: files', () => {
  it('sees the workspace and records exactly the files that were written, changed and deleted', async () => {
    const one = bench();
    one.put('in/a.txt', 'one');
    one.put('gone.txt', 'x');
    one.put('same.txt', 'same');
    const outcome = await one.run(
      'run_command',
      node(`const fs = require('fs');
        fs.writeFileSync('out.txt', fs.readFileSync('in/a.txt', 'utf8').toUpperCase());
        fs.appendFileSync('in/a.txt', ' two');
        fs.writeFileSync('same.txt', 'same');
        fs.rmSync('gone.txt');
        fs.mkdirSync('node_modules'); fs.writeFileSync('node_modules/big', 'x');`),
    );
    expect(outcome.files!.map((change) => [change.path, 'deleted' in change]).sort()).toEqual([
      ['gone.txt', true],
      ['in/a.txt', false],
      ['out.txt', false],
    ]);
    expect(outcome.content).toMatch(/Exit code 0[\s\S]*out\.txt \(new, 3 bytes\)/);
    await one.record(outcome);
    expect(await one.readText('out.txt')).toBe('ONE');
    expect(await one.readText('in/a.txt')).toBe('one two');
  });

  it('notices a change that keeps the size and the modification time of a file', async () => {
    const one = bench();
    one.put('a.txt', 'abc');
    await one.call(
      'run_command',
      node(`const fs = require('fs'); const s = fs.statSync('a.txt');
        fs.writeFileSync('a.txt', 'xyz'); fs.utimesSync('a.txt', s.atime, s.mtime);`),
    );
    expect(await one.readText('a.txt')).toBe('xyz');
  });

  it('rejects a link that points outside the workspace, and keeps one that points inside', async () => {
    const one = bench();
    one.put('a.txt', 'inside');
    const outcome = await one.run(
      'run_command',
      node(`const fs = require('fs');
        fs.symlinkSync('/etc/passwd', 'secret.txt');
        fs.symlinkSync('../../../../etc/passwd', 'relative.txt');
        fs.symlinkSync('/etc', 'folder');
        fs.symlinkSync('a.txt', 'inside.txt');
        fs.rmSync('a.txt'); fs.writeFileSync('a.txt', 'inside');`),
    );
    expect(outcome.files).toMatchObject([{ path: 'inside.txt', mode: 'link' }]);
    expect(outcome.files).toHaveLength(1);
    expect(outcome.content.match(/to a path outside the workspace/g)).toHaveLength(3);
    expect(outcome.content).not.toContain('root:');
  });

  it('does not let a command change archives, sources or, in tactical phases, the plan', async () => {
    const one = bench();
    one.put('archive/phase_1.md', 'true');
    one.put('sources/1.md', 'true');
    const script = `const fs = require('fs');
      fs.writeFileSync('archive/phase_1.md', 'forged'); fs.rmSync('sources/1.md'); fs.writeFileSync('todos.yaml', 'x');`;
    const outcome = await one.run('run_command', node(script));
    expect(outcome.files).toEqual([]);
    expect(outcome.content).toMatch(/archive\/ is managed by the system[\s\S]*sources\/ is managed by the system/);
    one.kind = 'strategic';
    expect((await one.run('run_command', node(script))).files!.map(({ path }) => path)).toEqual(['todos.yaml']);
  });

  it('keeps no change when there are more files or bytes than the settings allow', async () => {
    const many = node(`for (let i = 0; i < 20; i++) require('fs').writeFileSync('f' + i, 'x'.repeat(100))`);
    for (const limit of [{ maxChangedFiles: 19 }, { maxChangedBytes: 1_999 }]) {
      const outcome = await bench(limit).run('run_command', many);
      expect(outcome.files).toEqual([]);
      expect(outcome.content).toMatch(/Not stored:\n- no changes were stored/);
    }
    expect((await bench({ maxChangedFiles: 20, maxChangedBytes: 2_000 }).run('run_command', many)).files).toHaveLength(
      20,
    );
  });

  it('rejects names that the workspace cannot store, and special files', async () => {
    const outcome = await bench({ shell: true }).run('run_command', {
      command: `mkfifo pipe; printf x > "$(printf 'a\\nb')"; printf x > 'a\\b'; printf x > ok; mkdir -p deep/no; chmod 000 deep/no`,
    });
    expect(outcome.files!.map(({ path }) => path)).toEqual(['ok']);
    expect(outcome.content).toMatch(/"pipe": it is neither a file nor a folder/);
  });

  it('runs only in a folder of the workspace', async () => {
    const one = bench();
    one.put('sub/a.txt', 'here');
    expect(await one.call('run_command', { program: 'cat', args: ['a.txt'], cwd: 'sub' })).toContain('here');
    for (const cwd of ['..', '/etc', 'sub/../../x'])
      expect(await one.runForError('run_command', { program: 'cat', cwd })).toMatch(/^invalid_path: /);
    expect(await one.runForError('run_command', { program: 'cat', cwd: 'sub/a.txt' })).toMatch(/^bad_folder: /);
  });

  it('does not run on a workspace that is larger than the settings allow', async () => {
    const one = bench({ maxWorkspaceBytes: 10 });
    one.put('a.txt', 'more than ten bytes');
    expect(await one.runForError('run_command', { program: 'cat' })).toMatch(/^workspace_too_large: /);
  });
});
