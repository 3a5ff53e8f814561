import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { buildProgram } from '../../apps/cli/src/command/build-program.js';
import { Output } from '../../apps/cli/src/output/output.js';
import { examples, listExpressions, readRules, readYaml } from './expressions.js';

interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

/** Runs promtool; undefined if it is not installed. */
function runPromtool(...args: string[]): { status: number | null; said: string } | undefined {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, {
    cwd: `${examples}prometheus`,
    encoding: 'utf8',
  });
  return error ? undefined : { status, said: `${stdout}${stderr}` };
}

it('every alert says what is the matter, why, and which command helps', async () => {
  const rules = await readRules();
  expect(rules.length).toBeGreaterThan(10);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, labels, annotations } of rules) {
    expect(Object.keys(annotations), alert).toEqual(['summary', 'cause', 'command']);
    expect(
      Object.values(annotations).every((text) => text.trim() !== ''),
      alert,
    ).toBe(true);
    expect(['critical', 'warning'], alert).toContain(labels['severity']);
  }
});

it('every command of an alert is one of the command line, with options that it has', async () => {
  for (const { alert, annotations } of await readRules()) {
    const command = annotations.command
      .replaceAll('{{ $labels.queue }}', 'tools')
      .replaceAll('{{ $labels.kind }}', 'question');
    const ran = await tryCommand(command);
    expect(ran, `${alert}: ${command}`).toBe(1);
  }
  await expect(tryCommand('phaseline queue')).rejects.toThrow(/unknown command/);
  await expect(tryCommand('phaseline costs --per job')).rejects.toThrow(/unknown option/);
});

it('the page about monitoring lists every alert with its command, and its own commands exist', async () => {
  const page = await readFile(new URL('../../docs/how-to/monitoring.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(Phaseline\w+)` \| .* \| `([^`]*)` \|$/gm)].map(([, ...row]) => row);
  const nameLabels = (command: string) =>
    command.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label: string) => label.toUpperCase());
  expect(rows).toEqual((await readRules()).map(({ alert, annotations }) => [alert, nameLabels(annotations.command)]));
  const commands = [...page.matchAll(/^phaseline .*$/gm)].map(([command]) => command.replaceAll("'", ''));
  expect(commands.length).toBe(3);
  for (const command of commands) expect(await tryCommand(command), command).toBe(1);
});

/** Parses a command as the command line does. Returns the number of actions that would run. */
async function tryCommand(command: string): Promise<number> {
  const [program, ...args] = command.split(' ');
  expect(program).toBe('phaseline');
  let actions = 0;
  const out = new Output({ stdout: new PassThrough(), stderr: new PassThrough(), env: {}, color: false });
  const count = async (): Promise<void> => {
    actions += 1;
  };
  await buildProgram(out, count).parseAsync(args, { from: 'user' });
  return actions;
}

it('every alert has a test in which it fires and one in which it does not', async () => {
  const { tests } = (await readYaml('prometheus/alerts.test.yml')) as { tests: RuleTest[] };
  const outcomes = tests.flatMap(({ alert_rule_test: all }) =>
    all.map(({ alertname, exp_alerts: expected }) => `${alertname} ${expected.length > 0 ? 'fires' : 'is silent'}`),
  );
  const rules = await readRules();
  expect(outcomes.toSorted()).toEqual(
    rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} is silent`]).toSorted(),
  );
});

it('promtool accepts the rules, their tests and the configuration, if it is installed', ({ skip }) => {
  const checked = runPromtool('check', 'rules', 'alerts.yml');
  if (!checked) return skip('promtool is not on the PATH');
  expect(checked).toMatchObject({ status: 0, said: expect.stringContaining('SUCCESS') as string });
  expect(runPromtool('test', 'rules', 'alerts.test.yml')).toMatchObject({ status: 0 });
  expect(runPromtool('check', 'config', 'prometheus.yml')).toMatchObject({ status: 0 });
});

it('promtool accepts the expressions of boards and scaled objects, if it is installed', async ({ skip }) => {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-expressions-'));
  try {
    const rules = (await listExpressions()).map(({ place, expr }, index) => ({
      record: `spec:expression_${index}`,
      labels: { place },
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h'),
    }));
    const file = join(folder, 'rules.yml');
    await writeFile(file, stringify({ groups: [{ name: 'spec', rules }] }));
    const checked = runPromtool('check', 'rules', file);
    if (!checked) return skip('promtool is not on the PATH');
    expect(checked).toMatchObject({ status: 0, said: expect.stringContaining(`${rules.length} rules`) as string });
  } finally {
    await rm(folder, { recursive: true });
  }
});
