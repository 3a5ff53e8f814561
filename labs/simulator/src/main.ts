import { fork } from 'node:child_process';
import { parseCommandLine, parseChoice, exitWithUsageError, parseWholeNumber } from '@phaseline/harness';
import { mutations } from './mutation/mutations.js';
import { renderFailure, renderSummary } from './run/render.js';
import { runMany } from './run/run-many.js';
import { addSummary, emptySummary, type Summary } from './run/summary.js';
import { WORKLOAD_SIZES, type Size } from './workload/jobs.js';

const HELP = `npm run simulate -- [options]

Runs the engine (deciders, drivers, runners, reconciler) with an in-memory log, queues, clock, tools and model. A seed
determines everything: the jobs, every latency, and what crashes, is lost, duplicated or late. All invariants are checked
after every seed. The same seed always produces the same log.

  --seeds N        number of seeds to run (default 200)
  --seed S         first seed (default 1); without --seeds, only this one
  --workload W     ${Object.keys(WORKLOAD_SIZES).join(' | ')} (default mixed)
  --mutation NAME  removes a safeguard and stops at the first seed that detects it; see --mutations
  --mutations      lists the safeguards that can be removed
  --stop           stops at the first seed that violates an invariant
  --workers N      parallel processes (default 1)
  --json           prints the summary as JSON
  --help           prints this text

Exits with code 1 if an invariant was violated, and prints the seed with the shortest schedule of faults that violates it.
`;

const values = parseCommandLine(HELP, {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  workload: { type: 'string', default: 'mixed' },
  mutation: { type: 'string' },
  mutations: { type: 'boolean', default: false },
  stop: { type: 'boolean', default: false },
  workers: { type: 'string', default: '1' },
  /** Internal: distance between two seeds of a child process of --workers. */
  stride: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
});

/** Seeds whose failure was printed. */
const printedFailures = new Set<number>();
/** When progress was last printed, in seconds since the start. */
let progressAt = 0;

// Rejections are routine here and most of their stack traces are never printed.
Error.stackTraceLimit = 4;

if (values.mutations) process.stdout.write(renderMutations());
else process.exitCode = await simulate();

async function simulate(): Promise<number> {
  const from = parseWholeNumber('seed', values.seed ?? '1', 0);
  const count = parseWholeNumber('seeds', values.seeds ?? (values.seed === undefined ? '200' : '1'));
  const workers = Math.min(parseWholeNumber('workers', values.workers), count);
  const mutation = values.mutation === undefined ? undefined : mutations[values.mutation];
  if (values.mutation !== undefined && !mutation)
    exitWithUsageError(`unknown mutation ${values.mutation}; --mutations lists them`);
  const workload = parseChoice('workload', values.workload, Object.keys(WORKLOAD_SIZES) as Size[]);
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1_000;
  let latest = emptySummary();
  const onProgress = (soFar: Summary): void => {
    latest = soFar;
    if (process.send) sendToParent(soFar);
    else {
      printFailures(soFar);
      printProgress(soFar, count, seconds());
    }
  };
  // An interrupted run still prints its results.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      if (!process.send) printSummary(latest, seconds());
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  const summary =
    workers > 1
      ? await runInProcesses(from, count, workers, onProgress)
      : await runMany({
          seeds: seedsFrom(from, count, parseWholeNumber('stride', values.stride)),
          workload,
          ...(mutation ? { mutation } : {}),
          untilBroken: values.stop || mutation !== undefined,
          onProgress,
        });
  if (process.send) {
    sendToParent({ ...summary, ended: true });
    process.disconnect();
    return 0;
  }
  printSummary(summary, seconds());
  return summary.failed > 0 ? 1 : 0;
}

/** Sends the summary to the parent process. Exits if the parent has exited. */
function sendToParent(summary: Summary & { ended?: boolean }): void {
  process.send?.(summary, undefined, {}, (error) => {
    if (error) process.exit(1);
  });
}

function printSummary(summary: Summary, seconds: number): void {
  clearProgress();
  if (values.json) process.stdout.write(`${JSON.stringify({ ...summary, seconds })}\n`);
  else {
    printFailures(summary);
    process.stdout.write(renderSummary(summary, seconds));
  }
}

/** Runs the seeds in child processes, each of which takes every n-th seed. */
async function runInProcesses(
  from: number,
  count: number,
  workers: number,
  onProgress: (summary: Summary) => void,
): Promise<Summary> {
  const parts: Summary[] = [];
  const options = [`--workload=${values.workload}`, ...(values.mutation ? [`--mutation=${values.mutation}`] : [])];
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const share = Math.ceil((count - index) / workers);
      const child = fork(process.argv[1]!, [
        `--seed=${from + index}`,
        `--seeds=${share}`,
        `--stride=${workers}`,
        ...options,
      ]);
      let ended = false;
      child.on('message', (message) => {
        parts[index] = message as Summary;
        ended ||= 'ended' in (message as object);
        onProgress(addSummaries(parts));
      });
      const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
      if (code !== 0 || !ended) throw new Error(`a child process exited with code ${code}`);
    }),
  );
  return addSummaries(parts);
}

function addSummaries(parts: readonly Summary[]): Summary {
  const sum = emptySummary();
  for (const part of parts) if (part) addSummary(sum, part);
  return sum;
}

function* seedsFrom(from: number, count: number, stride: number): Iterable<number> {
  for (let index = 0; index < count; index += 1) yield from + index * stride;
}

/** Prints every failure once, as soon as it is known, so that a long run is useful before its end. */
function printFailures({ failures }: Summary): void {
  if (values.json) return;
  const options = [
    values.workload === 'mixed' ? '' : ` --workload ${values.workload}`,
    values.mutation === undefined ? '' : ` --mutation ${values.mutation}`,
  ].join('');
  for (const failure of failures.filter(({ seed }) => !printedFailures.has(seed))) {
    printedFailures.add(failure.seed);
    clearProgress();
    process.stdout.write(`${renderFailure(failure, `npm run simulate --${options}`)}\n`);
  }
}

/** Prints progress: on a terminal one line that is overwritten, otherwise a line every 30 s. */
function printProgress(summary: Summary, count: number, seconds: number): void {
  if (seconds - progressAt < (process.stderr.isTTY ? 0.2 : 30)) return;
  progressAt = seconds;
  const rate = (summary.seeds / seconds).toFixed(0);
  const line = `${summary.seeds} of ${count} seeds, ${rate}/s, ${summary.failed} failed `;
  process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function renderMutations(): string {
  const rows = Object.entries(mutations).map(
    ([name, { description, caughtBy }]) =>
      `${name.padEnd(22)}${description}\n${''.padEnd(22)}→ ${caughtBy ?? 'no invariant may be violated'}\n`,
  );
  return rows.join('');
}
