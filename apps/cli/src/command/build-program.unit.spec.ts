import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { completionScript, shells } from '../completion/completion-script.js';
import { Output } from '../output/output.js';
import { runCli } from '../run-cli.js';
import { buildProgram } from './build-program.js';
import { examplesWithoutCommand } from './command-examples.js';

const createSilentOutput = (): Output =>
  new Output({ stdout: new PassThrough(), stderr: new PassThrough(), env: {}, color: false });
const program = buildProgram(createSilentOutput(), async () => {});

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

it('the table in README.md has every command', async () => {
  const page = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const firstCells = [...page.matchAll(/^\| (`(?:[^|\\]|\\\|)+) \|/gm)].map(([, cell]) => cell!);
  const documented = firstCells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)/g)].map(([, name]) => name));
  const names = program.commands.map((command) => command.name());
  expect(names.filter((name) => !documented.includes(name))).toEqual([]);
});

it('an option that the command above also has belongs to the command after which it stands', async () => {
  const parsing = buildProgram(createSilentOutput(), async () => {});
  const list = parsing.commands
    .find((command) => command.name() === 'plan')!
    .commands.find((command) => command.name() === 'list')!;
  await parsing.parseAsync(['plan', 'list', '--goal-id', 'boat'], { from: 'user' });
  expect(list.opts()['goalId']).toBe('boat');
});

describe('the help', () => {
  it('shows every command in a group', () => {
    const help = program.helpInformation();
    for (const group of ['Run Phaseline:', 'Jobs:', 'Steer jobs:', 'Audit and operation:', 'Definitions:'])
      expect(help).toContain(`\n${group}\n`);
    expect(help).not.toContain('\nCommands:\n  demo');
  });

  it('for a command is the same with help and --help, and ends with examples', async () => {
    const help = await run('help', 'submit');
    expect(help).toEqual(await run('submit', '--help'));
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/Examples:\n {2}phaseline submit creator --document spec\.pdf --wait/);
    expect(examplesWithoutCommand(program)).toEqual([]);
  });

  it('prints the version, commit and platform with --version', async () => {
    expect(await run('--version')).toEqual({
      code: 0,
      out: expect.stringMatching(/^phaseline \d+\.\d+\.\d+\S*( \([0-9a-f]+\))?, Node \d+\.\S+, \S+-\S+\n$/) as string,
    });
  });
});

describe('completion', () => {
  const completeInBash = (line: string): string[] => {
    const words = line.split(' ');
    const script = `${completionScript(program, 'bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _phaseline; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter((word) => word !== '');
  };

  it('completes commands, subcommands, options and choices in bash', () => {
    expect(completeInBash('phaseline sub')).toEqual(['submit']);
    expect(completeInBash('phaseline files ')).toEqual(expect.arrayContaining(['list', 'cat', 'pull']));
    expect(completeInBash('phaseline files pull --ou')).toEqual(['--out']);
    expect(completeInBash('phaseline list --fo')).toEqual(['--format']);
    expect(completeInBash('phaseline list --format ')).toEqual(['json', 'yaml', 'wide']);
    expect(completeInBash('phaseline up --queue-backend p')).toEqual(['postgres']);
  });

  it.each(shells)('includes every command in the script for %s', async (shell) => {
    const { code, out } = await run('completion', shell);
    expect(code).toBe(0);
    for (const command of program.commands) expect(out).toContain(command.name());
  });

  it.each(['zsh', 'fish'] as const)('parses in %s if that is installed', (shell) => {
    const check = spawnSync(shell, ['-n'], { input: completionScript(program, shell), encoding: 'utf8' });
    // Neither shell is installed everywhere.
    if (!check.error) expect([check.status, check.stderr]).toEqual([0, '']);
  });
});
