import { fork } from 'node:child_process';
import { exitWithUsageError, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import { kinds } from './kinds/kinds.js';
import { openLab } from './run/open-lab.js';
import { planRuns } from './run/plan-runs.js';
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
  /** Internal: which of the planned runs a child process of --workers makes, such as 0/2. */
  share: { type: 'string', default: '0/1' },
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
  const [index = 0, shares = 1] = values.share.split('/').map(Number);
  const planned = planRuns(chosen, count, seed).filter((_, position) => position % shares === index);
  const started = performance.now();
  const reports: RunReport[] = [];
  let printedAt = started;
  const add = (report: RunReport): void => {
    reports.push(report);
    if (process.send) process.send(report);
    else if (performance.now() - printedAt > PROGRESS_MS) {
      printedAt = performance.now();
      process.stderr.write(`${reports.length} of ${planned.length} runs\n`);
    }
  };
  if (workers > 1) await runInProcesses(Math.min(workers, planned.length), add);
  else await runAll(planned, add);
  if (process.send) {
    process.disconnect();
    return 0;
  }
  const summary = summarise(reports);
  const seconds = (performance.now() - started) / 1_000;
  process.stdout.write(values.json ? `${JSON.stringify({ ...summary, seconds })}\n` : renderSummary(summary, seconds));
  return summary.problems.length > 0 ? 1 : 0;
}

async function runAll(planned: ReturnType<typeof planRuns>, add: (report: RunReport) => void): Promise<void> {
  const { lab, close } = await openLab();
  try {
    for (const { task, seed, kind } of planned) add(await runOne(lab, task, seed, kind));
  } finally {
    await close();
  }
}

/** Divides the runs among child processes. */
async function runInProcesses(workers: number, add: (report: RunReport) => void): Promise<void> {
  const given = ['runs', 'seed', 'kind'] as const;
  const options = given.flatMap((name) => (values[name] === undefined ? [] : [`--${name}=${values[name]}`]));
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const child = fork(process.argv[1]!, [...options, `--share=${index}/${workers}`]);
      child.on('message', (message) => add(message as RunReport));
      const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
      if (code !== 0) throw new Error(`a child process exited with code ${code}`);
    }),
  );
}
