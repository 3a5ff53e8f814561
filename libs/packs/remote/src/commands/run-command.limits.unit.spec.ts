import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { getTypescriptArguments } from '@phaseline/testing';
import { createCommandsBench } from './commands-bench.fixture.js';

const bench = createCommandsBench;
const node = (script: string, more: Record<string, unknown> = {}) => ({
  program: 'node',
  args: ['-e', script],
  ...more,
});

/** Counts the running processes that have this text in their arguments. */
async function countRunning(text: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text)).length;
}

describe('run_command: the process', () => {
  it('reports exit code and signal, and passes standard input', async () => {
    const one = bench();
    expect(await one.call('run_command', node(`process.exit(3)`))).toMatch(/^Exit code 3 after/);
    expect(await one.call('run_command', node(`process.kill(process.pid, 'SIGABRT')`))).toMatch(
      /^Killed by signal SIGABRT/,
    );
    expect(await one.call('run_command', { program: 'cat', stdin: 'from outside' })).toContain('stdout:\nfrom outside');
    expect(await one.call('run_command', { program: 'cat' })).toContain('stdout: empty');
  });

  it('sees no environment variables of the service except those that the settings pass on', async () => {
    process.env['DATABASE_URL_FOR_SPEC'] = 'postgresql://secret';
    process.env['COMMAND_SPEC_TOKEN'] = 'tok-123456789';
    try {
      const one = bench({ env: { TOKEN: '${COMMAND_SPEC_TOKEN}', MODE: 'test' } });
      const seen = await one.call(
        'run_command',
        node(
          `console.log(Object.keys(process.env).sort().join(',')); console.log(process.env.TOKEN, process.env.TOKEN.length)`,
        ),
      );
      // The shell that sets the limits adds some variables, such as PWD.
      const names = seen
        .split('\n')[2]!
        .split(',')
        .filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name));
      expect(names).toEqual(
        'GIT_CONFIG_COUNT,GIT_CONFIG_KEY_0,GIT_CONFIG_VALUE_0,HOME,LANG,MODE,PATH,TERM,TMPDIR,TOKEN,TZ'.split(','),
      );
      expect(seen).toContain('[COMMAND_SPEC_TOKEN] 13');
      expect(seen).not.toContain('tok-123456789');
      const own = bench({ env: { X: '${PHASELINE_API_KEYS}' } });
      expect(await own.runForError('run_command', { program: 'cat' })).toMatch(/^reference_refused: /);
      expect(await bench({ env: { X: '${NOT_SET_ANYWHERE}' } }).runForError('run_command', { program: 'cat' })).toMatch(
        /^reference_missing: /,
      );
    } finally {
      delete process.env['DATABASE_URL_FOR_SPEC'];
      delete process.env['COMMAND_SPEC_TOKEN'];
    }
  });

  it('keeps the beginning and end of 300 MB of output in little memory', async () => {
    const before = process.memoryUsage().rss;
    const text = await bench({ maxOutputBytes: 4_096 }).call(
      'run_command',
      node(`process.stdout.write('BEGIN\\n');
        const chunk = Buffer.alloc(1024 * 1024, 'x'); let left = 300;
        const more = () => { while (left-- > 0) if (!process.stdout.write(chunk)) return process.stdout.once('drain', more); process.stdout.write('\\nEND'); };
        more();`),
    );
    expect(text).toMatch(/stdout:\nBEGIN\n/);
    expect(text).toMatch(/\[… \d+ of 314572810 bytes omitted …\]/);
    expect(text).toMatch(/x\nEND\nstderr: empty$/);
    expect(text.length).toBeLessThan(6_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('kills descendants that ignore SIGTERM, one of them in its own session', async () => {
    const name = `deaf-${process.pid}-${Date.now()}`;
    const text = await bench({ timeoutMs: 1_500 }).call('run_command', {
      program: 'node',
      args: [
        '-e',
        `const { spawn } = require('child_process');
         process.on('SIGTERM', () => {});
         const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
         for (let i = 0; i < 3; i++) spawn(process.execPath, ['-e', deaf, process.argv[1]], { stdio: 'inherit', detached: i === 0 }).unref();
         console.log('started'); setInterval(() => {}, 1000);`,
        name,
      ],
    });
    expect(text).toMatch(/^Stopped because it exceeded its time limit[\s\S]*stdout:\nstarted/);
    expect(await countRunning(name)).toBe(0);
  });

  it('kills background processes that a program leaves behind', async () => {
    const name = `left-${process.pid}-${Date.now()}`;
    const text = await bench({ shell: true }).call('run_command', {
      command: `(exec node -e "setInterval(() => {}, 1000)" ${name}) & echo started`,
    });
    expect(text).toMatch(/^Exit code 0/);
    expect(await countRunning(name)).toBe(0);
  });

  it('counts and kills a process that left its session and cleared its environment but works in the folder of the call', async () => {
    const name = `escaped-${process.pid}-${Date.now()}`;
    const text = await bench({ shell: true }).call('run_command', {
      command: `setsid env -i ${process.execPath} -e "setInterval(() => {}, 1000)" ${name} </dev/null >/dev/null 2>&1 & sleep 0.3; echo started`,
    });
    expect(text).toMatch(/^Exit code 0/);
    expect(await countRunning(name)).toBe(0);
    const many = await bench({ shell: true, maxProcesses: 10, timeoutMs: 30_000 }).call('run_command', {
      command: `i=0; while [ $i -lt 40 ]; do setsid env -i /bin/sleep 60 & i=$((i+1)); done; wait; sleep 60`,
    });
    expect(many).toMatch(/^Stopped because it exceeded its process limit/);
  });

  it('stops a command that starts too many processes', async () => {
    const text = await bench({ shell: true, maxProcesses: 10, timeoutMs: 30_000 }).call('run_command', {
      command: `i=0; while [ $i -lt 40 ]; do sleep 60 & i=$((i+1)); done; wait`,
    });
    expect(text).toMatch(/^Stopped because it exceeded its process limit/);
  });

  it('stops a command that takes too much memory', async () => {
    const one = bench({ maxMemoryBytes: 256 * 1024 * 1024, timeoutMs: 60_000 });
    const hog = await one.call(
      'run_command',
      node(`console.log('started'); const all = []; for (;;) all.push(Buffer.alloc(16 * 1024 * 1024, 1));`),
    );
    // Either the kernel limit makes it crash, or the watch loop stops it, whichever comes first.
    expect(hog).toMatch(
      /^(?:Exit code [1-9]|Killed by signal|Stopped because it exceeded its memory limit)[\s\S]*stdout:\nstarted/,
    );
    const many = await one.call(
      'run_command',
      node(`const { spawn } = require('child_process');
        for (let i = 0; i < 4; i++) spawn(process.execPath, ['-e', 'globalThis.b = Buffer.alloc(100 * 1024 * 1024, 1); setInterval(() => {}, 1000)']);
        setInterval(() => {}, 1000);`),
    );
    expect(many).toMatch(/^Stopped because it exceeded its memory limit/);
  });

  it('kills the command when the call is cancelled, and records nothing', async () => {
    const name = `cancelled-${process.pid}-${Date.now()}`;
    const one = bench();
    const abort = new AbortController();
    one.signal = abort.signal;
    const call = one.run('run_command', { program: 'node', args: ['-e', `setInterval(() => {}, 1000)`, name] });
    call.catch(() => undefined);
    await expect.poll(() => countRunning(name)).toBeGreaterThan(0);
    abort.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    expect(await countRunning(name)).toBe(0);
  });

  it('ends the command when the process that runs it is killed', async () => {
    const name = `orphan-${process.pid}-${Date.now()}`;
    const victim = spawn(
      process.execPath,
      getTypescriptArguments(new URL('./command-victim.fixture.ts', import.meta.url), name),
    );
    try {
      // At least three processes run: the one to be killed, its command, and the watcher.
      await expect.poll(() => countRunning(name)).toBeGreaterThanOrEqual(3);
    } finally {
      victim.kill('SIGKILL');
    }
    await expect.poll(() => countRunning(name)).toBe(0);
  });
});
