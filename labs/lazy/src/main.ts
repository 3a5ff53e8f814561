import { fork } from 'node:child_process';
import { on } from 'node:events';
import { exitWithUsageError, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import { kinds } from './kinds/kinds.js';
import { openLab } from './run/open-lab.js';
import { planRuns, type PlannedRun } from './run/plan-runs.js';
import { runOne, type RunReport } from './run/run-one.js';
import { renderSummary, summarise } from './run/summary.js';

const HELP = `npm run lazy -- [options]

Runs models that pretend to work, and as many that do the work, through the engine with the shipped workflow, and compares
what was accepted with a ground truth that reads only the final workspace.

  --runs N      number of runs of pretending models (default: one per kind)
  --seed S      seed that generates the tasks (default 1)
  --kind K      only this kind; see --kinds
  --kinds       lists the kinds
  --workers N   parallel processes (default 1)
  --json        prints the summary as JSON
  --help        prints this text

Exits with code 1 if a job or a todo was accepted although the ground truth denies it, if an honest run did not complete,
or if more than 1 % of the claims of honest models were refused.
`;

const values = parseCommandLine(HELP, {
  runs: { type: 'string' },
  seed: { type: 'string', default: '1' },
  kind: { type: 'string' },
  kinds: { type: 'boolean', default: false },
  workers: { type: 'string', default: '1' },
  /** Internal: a child process of --workers, which gets the positions of its runs as messages. */
  child: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});

const PROGRESS_MS = 30_000;

if (values.kinds) process.stdout.write(kinds.map(({ name, does }) => `${name.padEnd(32)}${does}\n`).join(''));
else process.exitCode = await main();

async function main(): Promise<number> {
  const chosen = values.kind === undefined ? kinds : kinds.filter(({ name }) => name === values.kind);
  if (chosen.length === 0) exitWithUsageError(`unknown kind ${values.kind}; --kinds lists them`);
  const count = parseWholeNumber('runs', values.runs ?? String(chosen.length));
  const seed = parseWholeNumber('seed', values.seed, 0);
  const workers = parseWholeNumber('workers', values.workers);
  const planned = planRuns(chosen, count, seed);
  if (values.child) return answerParent(planned);
  const started = performance.now();
  const reports: RunReport[] = [];
  let printedAt = started;
  const add = (report: RunReport): void => {
    reports.push(report);
    if (performance.now() - printedAt > PROGRESS_MS) {
      printedAt = performance.now();
      process.stderr.write(`${reports.length} of ${planned.length} runs\n`);
    }
  };
  if (workers > 1) await runInProcesses(Math.min(workers, planned.length), planned.length, add);
  else await runAll(planned, add);
  const summary = summarise(reports);
  const seconds = (performance.now() - started) / 1_000;
  process.stdout.write(values.json ? `${JSON.stringify({ ...summary, seconds })}\n` : renderSummary(summary, seconds));
  return summary.problems.length > 0 ? 1 : 0;
}

async function runAll(planned: readonly PlannedRun[], add: (report: RunReport) => void): Promise<void> {
  const { lab, close } = await openLab();
  try {
    for (const { task, seed, kind } of planned) add(await runOne(lab, task, seed, kind));
  } finally {
    await close();
  }
}

/** Makes the runs in child processes, each of which gets its next run when it has reported the one before: a run takes from 0.1 to 20 s. */
async function runInProcesses(workers: number, count: number, add: (report: RunReport) => void): Promise<void> {
  const given = ['runs', 'seed', 'kind'] as const;
  const options = given.flatMap((name) => (values[name] === undefined ? [] : [`--${name}=${values[name]}`]));
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const child = fork(process.argv[1]!, [...options, '--child']);
      const giveNext = (): void => {
        if (next < count) child.send(next++);
        else child.disconnect();
      };
      child.on('message', (message) => {
        add(message as RunReport);
        giveNext();
      });
      giveNext();
      const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
      if (code !== 0) throw new Error(`a child process exited with code ${code}`);
    }),
  );
}

/** Makes the runs whose positions the parent sends, until it disconnects. */
async function answerParent(planned: readonly PlannedRun[]): Promise<number> {
  const positions = on(process, 'message', { close: ['disconnect'] });
  const { lab, close } = await openLab();
  try {
    for await (const [position] of positions) {
      const { task, seed, kind } = planned[position as number]!;
      process.send!(await runOne(lab, task, seed, kind));
    }
  } finally {
    await close();
  }
  return 0;
}
