import { fork } from 'node:child_process';
import { commandLine, oneOf, refuse, wholeNumber } from '../command-line.js';
import { mutations } from './mutation/mutations.js';
import { renderFailure, renderSummary } from './run/render.js';
import { runMany } from './run/run-many.js';
import { addSummary, emptySummary, type Summary } from './run/summary.js';
import { sizes, type Size } from './workload/jobs.js';

const HELP = `npm run simulate -- [options]

Runs the engine (deciders, drivers, runners, reconciler) over a log, queues, a clock, tools and a model in memory. A seed
decides everything: what the jobs are, who waits how long, what crashes, is lost, comes twice or too late. After every
seed all invariants are checked. The same seed always gives the same log.

  --seeds N        how many seeds to run (default 200)
  --seed S         the first seed (default 1); without --seeds only this one
  --workload W     ${Object.keys(sizes).join(' | ')} (default mixed)
  --mutation NAME  take a safeguard out, and stop at the first seed that notices; see --mutations
  --mutations      list the safeguards that can be taken out
  --stop           stop at the first seed that breaks something
  --workers N      processes side by side (default 1)
  --json           print the summary as JSON
  --help           this text

Ends with code 1 when an invariant was broken, and prints the seed with the shortest schedule of faults that breaks it.
`;

const values = commandLine(HELP, {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  workload: { type: 'string', default: 'mixed' },
  mutation: { type: 'string' },
  mutations: { type: 'boolean', default: false },
  stop: { type: 'boolean', default: false },
  workers: { type: 'string', default: '1' },
  /** How a worker of --workers is told its share: every so many seeds. */
  stride: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
});

/** Seeds whose failure was printed, and when progress was, in seconds since the start. */
const told = new Set<number>();
let shownAt = 0;

// Rejections are routine here, and nobody reads most of their traces.
Error.stackTraceLimit = 4;

if (values.mutations) process.stdout.write(renderMutations());
else process.exitCode = await simulate();

async function simulate(): Promise<number> {
  const from = wholeNumber('seed', values.seed ?? '1', 0);
  const count = wholeNumber('seeds', values.seeds ?? (values.seed === undefined ? '200' : '1'));
  const workers = Math.min(wholeNumber('workers', values.workers), count);
  const mutation = values.mutation === undefined ? undefined : mutations[values.mutation];
  if (values.mutation !== undefined && !mutation)
    refuse(`no safeguard is named ${values.mutation}; --mutations lists them`);
  const workload = oneOf('workload', values.workload, Object.keys(sizes) as Size[]);
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1_000;
  let latest = emptySummary();
  const onProgress = (soFar: Summary): void => {
    latest = soFar;
    if (process.send) report(soFar);
    else {
      tell(soFar);
      progress(soFar, count, seconds());
    }
  };
  // What was run counts, even when nobody waits for the rest.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      if (!process.send) print(latest, seconds());
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  const summary =
    workers > 1
      ? await shared(from, count, workers, onProgress)
      : await runMany({
          seeds: seedsFrom(from, count, wholeNumber('stride', values.stride)),
          workload,
          ...(mutation ? { mutation } : {}),
          untilBroken: values.stop || mutation !== undefined,
          onProgress,
        });
  if (process.send) {
    report({ ...summary, ended: true });
    process.disconnect();
    return 0;
  }
  print(summary, seconds());
  return summary.failed > 0 ? 1 : 0;
}

/** To the process that has split the seeds; once that is gone, nobody wants the rest. */
function report(summary: Summary & { ended?: boolean }): void {
  process.send?.(summary, undefined, {}, (error) => {
    if (error) process.exit(1);
  });
}

function print(summary: Summary, seconds: number): void {
  clearProgress();
  if (values.json) process.stdout.write(`${JSON.stringify({ ...summary, seconds })}\n`);
  else {
    tell(summary);
    process.stdout.write(renderSummary(summary, seconds));
  }
}

/** Every worker takes each n-th seed. */
async function shared(
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
        onProgress(total(parts));
      });
      const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
      if (code !== 0 || !ended) throw new Error(`a worker ended with code ${code}`);
    }),
  );
  return total(parts);
}

function total(parts: readonly Summary[]): Summary {
  const sum = emptySummary();
  for (const part of parts) if (part) addSummary(sum, part);
  return sum;
}

function* seedsFrom(from: number, count: number, stride: number): Iterable<number> {
  for (let index = 0; index < count; index += 1) yield from + index * stride;
}

/** Prints every failure once, as soon as it is known: a run of an hour is of use before its end, and when it is cut off. */
function tell({ failures }: Summary): void {
  if (values.json) return;
  const options = [
    values.workload === 'mixed' ? '' : ` --workload ${values.workload}`,
    values.mutation === undefined ? '' : ` --mutation ${values.mutation}`,
  ].join('');
  for (const failure of failures.filter(({ seed }) => !told.has(seed))) {
    told.add(failure.seed);
    clearProgress();
    process.stdout.write(`${renderFailure(failure, `npm run simulate --${options}`)}\n`);
  }
}

/** One line that is written over on a terminal; elsewhere, in a log, a line every half minute. */
function progress(summary: Summary, count: number, seconds: number): void {
  if (seconds - shownAt < (process.stderr.isTTY ? 0.2 : 30)) return;
  shownAt = seconds;
  const rate = (summary.seeds / seconds).toFixed(0);
  const line = `${summary.seeds} of ${count} seeds, ${rate}/s, ${summary.failed} broken `;
  process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function renderMutations(): string {
  const rows = Object.entries(mutations).map(
    ([name, { what, caughtBy }]) => `${name.padEnd(22)}${what}\n${''.padEnd(22)}→ ${caughtBy ?? 'nothing may break'}\n`,
  );
  return rows.join('');
}
