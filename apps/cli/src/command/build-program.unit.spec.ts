import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { completionScript, shells } from '../completion/completion-script.js';
import { Output } from '../output/output.js';
import { runCli } from '../run-cli.js';
import { buildProgram } from './build-program.js';
import { examplesWithoutCommand } from './command-examples.js';

const silent = (): Output =>
  new Output({ stdout: new PassThrough(), stderr: new PassThrough(), env: {}, color: false });
const program = buildProgram(silent(), async () => {});

async function run(...argv: string[]): Promise<{ code: number; out: string }> {
  const stdout = new PassThrough();
  let out = '';
  stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const code = await runCli(argv, {
    stdout,
    stderr: new PassThrough().resume() as PassThrough,
    input: new PassThrough(),
    env: {},
    currentDirectory: '/',
    signal: new AbortController().signal,
    now: Date.now,
  });
  return { code, out };
}

describe('the help', () => {
  it('shows commands in groups, and none outside of them', () => {
    const help = program.helpInformation();
    for (const group of ['Run Phaseline:', 'Jobs:', 'Steer jobs:', 'Audit and operation:', 'Definitions:'])
      expect(help).toContain(`\n${group}\n`);
    expect(help).not.toContain('\nCommands:\n  demo');
  });

  it('of a command can be asked for in both ways, and ends with examples', async () => {
    const asked = await run('help', 'submit');
    expect(asked).toEqual(await run('submit', '--help'));
    expect(asked.code).toBe(0);
    expect(asked.out).toMatch(/Examples:\n {2}phaseline submit creator --document spec\.pdf --wait/);
    expect(examplesWithoutCommand(program)).toEqual([]);
  });

  it('says the version of the package, and what it runs on', async () => {
    expect(await run('--version')).toEqual({
      code: 0,
      out: expect.stringMatching(/^phaseline \d+\.\d+\.\d+\S*( \([0-9a-f]+\))?, Node \d+\.\S+, \S+-\S+\n$/) as string,
    });
  });
});

describe('completion', () => {
  const bash = (line: string): string[] => {
    const words = line.split(' ');
    const script = `${completionScript(program, 'bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _phaseline; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter((word) => word !== '');
  };

  it('offers commands, subcommands, options and choices in bash', () => {
    expect(bash('phaseline sub')).toEqual(['submit']);
    expect(bash('phaseline files ')).toEqual(expect.arrayContaining(['list', 'cat', 'pull']));
    expect(bash('phaseline files pull --in')).toEqual(['--into']);
    expect(bash('phaseline list --out')).toEqual(['--output']);
    expect(bash('phaseline list --output ')).toEqual(['json', 'yaml', 'wide']);
    expect(bash('phaseline up --queue p')).toEqual(['postgres']);
  });

  it.each(shells)('has every command in the script of %s', async (shell) => {
    const { code, out } = await run('completion', shell);
    expect(code).toBe(0);
    for (const command of program.commands) expect(out).toContain(command.name());
  });

  it.each(['zsh', 'fish'] as const)('is read by %s without an error, where it is installed', (shell) => {
    const check = spawnSync(shell, ['-n'], { input: completionScript(program, shell), encoding: 'utf8' });
    // Neither shell can be counted on.
    if (!check.error) expect([check.status, check.stderr]).toEqual([0, '']);
  });
});
