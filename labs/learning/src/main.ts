import { exitWithUsageError, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import { bisectJob } from './branches/bisect-jobs.js';
import { openLab, type Lab } from './branches/engine-branches.js';
import { findFaults } from './branches/find-faults.js';
import { compareBacktest } from './backtest/compare-backtest.js';
import { measureMemory } from './backtest/measure-memory.js';
import { measureSpeed } from './backtest/measure-speed.js';
import { measureSearch } from './embeddings/measure-search.js';
import { checkIsolation } from './isolation/check-isolation.js';
import { withDatabase } from './with-database.js';

const HELP = `npm run learning -- COMMAND [options]

backtest   plays generated jobs without guards, with generated ones in shadow, and with each in production, and compares what the
           guards decide live with their backtest on the job without them. Exits with code 1 if a guard decides otherwise.
isolation  generates pairs of jobs, one that leaves learning traces of every kind, of which some are promoted, and one that asks for them,
           on an embedded PostgreSQL. Exits with code 1 if a request of the second job contains one that was not promoted for it.
speed      reads a recorded job once per generated rule and script, and prints events per second of the processor.
memory     plays jobs on an embedded PostgreSQL, a tenth of them and then all, and backtests a rule on them each time. Prints the time of
           the processor and the most memory that the program of backtests used.
embeddings stores learning traces with random vectors in an embedded PostgreSQL, and prints milliseconds per search.
bisect     plays jobs in which one answer is bad, and bisects them. Exits with code 1 if fewer than 90 % are found, or more branches
           are run than halving needs.
faults     tries prompts that each lack a rule on played jobs, and prompts without a fault. Exits with code 1 if fewer than 95 % of the
           faults are found, or one is found where there is none.

  --runs N     jobs of backtest (default 100) and of memory (default 100), rules of speed (default 400), pairs of isolation
               (default 1000), learning traces of embeddings (default 10000), jobs of bisect (default 50) and of faults (default 3)
  --calls N    calls of the model in a job (default 100)
  --guards N   guards per job of backtest, scripts of speed (default 2)
  --commands N hooks per job of backtest, which are run in the sandbox (default 0)
  --branches N branches per point of bisect, and per side and job of faults (default 8)
  --samples N  prompts that each job of faults is tried with (default 10)
  --seed S     first seed (default 1)
  --json       prints the result as JSON
  --help       prints this text
`;

/** Share of planted answers, and of planted faults, that must be found. */
const [MIN_BISECTED, MIN_FAULTS] = [0.9, 0.95];

const [command, ...rest] = process.argv.slice(2);
const commands = { backtest, speed, memory, isolation, embeddings, bisect, faults } as const;
const run = Object.hasOwn(commands, command ?? '') ? commands[command as keyof typeof commands] : undefined;
if (!run) {
  if (command !== '--help') exitWithUsageError(`expected a command: ${Object.keys(commands).join(', ')}; see --help`);
  process.stdout.write(HELP);
} else {
  process.argv.splice(2, process.argv.length, ...rest);
  const values = parseCommandLine(HELP, {
    runs: { type: 'string' },
    calls: { type: 'string', default: '100' },
    guards: { type: 'string', default: '2' },
    commands: { type: 'string', default: '0' },
    branches: { type: 'string', default: '8' },
    samples: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  });
  const seed = parseWholeNumber('seed', values.seed, 0);
  const [calls, guards] = [parseWholeNumber('calls', values.calls), parseWholeNumber('guards', values.guards)];
  const hooks = parseWholeNumber('commands', values.commands, 0);
  const [branches, samples] = [
    parseWholeNumber('branches', values.branches),
    parseWholeNumber('samples', values.samples),
  ];
  process.exitCode = await run({
    runs: values.runs,
    calls,
    guards,
    commands: hooks,
    branches,
    samples,
    seed,
    isJson: values.json,
  });
}

interface Options {
  readonly runs: string | undefined;
  readonly calls: number;
  readonly guards: number;
  readonly commands: number;
  readonly branches: number;
  readonly samples: number;
  readonly seed: number;
  readonly isJson: boolean;
}

async function backtest({ runs = '100', calls, guards, commands, seed, isJson }: Options): Promise<number> {
  const count = parseWholeNumber('runs', runs);
  const total = { jobs: count, calls: 0, guards: 0, decisions: 0, differences: 0 };
  const points = new Set<string>();
  for (let run = 0; run < count; run += 1) {
    const compared = await compareBacktest(seed + run, calls, { pure: guards, commands });
    total.calls += compared.calls;
    total.guards += compared.guards;
    total.decisions += compared.decisions;
    total.differences += compared.differences.length;
    for (const point of compared.points) points.add(point);
    for (const { guard, live, tested } of compared.differences)
      process.stderr.write(
        `seed ${seed + run}, ${JSON.stringify(guard)}\nlive\n${live.join('\n')}\nbacktest\n${tested.join('\n')}\n`,
      );
  }
  const { differences } = total;
  print(
    isJson,
    { ...total, points: [...points] },
    `${total.calls} calls, ${total.guards} guards, ${total.decisions} decisions at ${[...points].join(', ')}: ${differences} guards decide otherwise live`,
  );
  return differences === 0 ? 0 : 1;
}

async function isolation({ runs = '1000', seed, isJson }: Options): Promise<number> {
  const pairs = parseWholeNumber('runs', runs);
  const report = await withDatabase((url) => checkIsolation(url, pairs, seed));
  const { traces, promoted, requests, seen, quoted, problems } = report;
  process.stderr.write(problems.map((problem) => `${problem}\n`).join(''));
  print(
    isJson,
    report,
    `${pairs} pairs, ${traces} learning traces (${promoted} promoted), ${requests} requests: ${seen} promoted ones read (${quoted} in first prompts), ${problems.length} problems`,
  );
  return problems.length === 0 ? 0 : 1;
}

async function embeddings({ runs = '10000', seed, isJson }: Options): Promise<number> {
  const traces = parseWholeNumber('runs', runs);
  const times = await withDatabase((url) => measureSearch(url, traces, seed));
  const { words, firstBySimilarity, bySimilarity, fused } = times;
  const [byWords, first, later, both] = [words, firstBySimilarity, bySimilarity, fused].map(Math.round);
  print(
    isJson,
    times,
    `${traces} learning traces, milliseconds per search: ${byWords} by words, ${later} by similarity (${first} for the first), ${both} by both`,
  );
  return 0;
}

async function speed({ runs = '400', calls, guards, seed, isJson }: Options): Promise<number> {
  const measured = await measureSpeed(seed, calls, { rules: parseWholeNumber('runs', runs), scripts: guards });
  const { events, rules, scripts, heapMebibytes } = measured;
  print(
    isJson,
    measured,
    [
      `${events} events in one thread, by time of the processor`,
      `${rules.guards} rules: ${Math.round(rules.eventsPerSecond)} events per second and rule`,
      `${scripts.guards} scripts: ${Math.round(scripts.eventsPerSecond)} events per second and script`,
      `heap ${heapMebibytes.join(' → ')} MiB`,
    ].join('\n'),
  );
  return 0;
}

async function memory({ runs = '100', calls, seed, isJson }: Options): Promise<number> {
  const jobs = parseWholeNumber('runs', runs);
  const sizes = [Math.ceil(jobs / 10), jobs];
  const measured = await withDatabase((url) => measureMemory(url, sizes, calls, seed));
  const lines = measured.map(
    ({ jobs: count, events, peakMebibytes, cpuSeconds }) =>
      `${count} jobs, ${events} events: at most ${Math.round(peakMebibytes)} MiB, ${cpuSeconds.toFixed(1)} s of the processor`,
  );
  print(isJson, measured, lines.join('\n'));
  return 0;
}

function withLab<Result>(work: (lab: Lab) => Promise<Result>): Promise<Result> {
  return withDatabase(async (url) => {
    const lab = openLab(url);
    try {
      return await work(lab);
    } finally {
      await lab.close();
    }
  });
}

async function bisect({ runs = '50', branches, seed, isJson }: Options): Promise<number> {
  const count = parseWholeNumber('runs', runs);
  const total = { jobs: count, found: 0, branches: 0, overLimit: 0 };
  await withLab(async (lab) => {
    for (let run = 0; run < count; run += 1) {
      const bisected = await bisectJob(lab, seed + run, branches);
      const { answers, planted, found } = bisected;
      total.found += Number(found === planted);
      total.branches += bisected.branches;
      total.overLimit += Number(bisected.branches > bisected.allowed);
      if (found !== planted)
        process.stderr.write(`seed ${seed + run}: answer ${planted} of ${answers} is bad, found ${found}\n`);
    }
  });
  const { found, overLimit } = total;
  print(
    isJson,
    total,
    `${found} of ${count} bad answers found with ${total.branches} branches; ${overLimit} jobs with more than halving needs`,
  );
  return found >= count * MIN_BISECTED && overLimit === 0 ? 0 : 1;
}

async function faults({ runs = '3', branches, samples, seed, isJson }: Options): Promise<number> {
  const jobs = parseWholeNumber('runs', runs);
  const tried = await withLab((lab) => findFaults(lab, { seed, jobs, samples, branches }));
  const faulty = tried.filter(({ isFaulty }) => isFaulty);
  const found = faulty.filter(({ outcome }) => outcome === 'worse').length;
  const falseAlarms = tried.filter(({ isFaulty, outcome }) => !isFaulty && outcome === 'worse').length;
  const lines = tried.map(
    ({ prompt, outcome, asked, differing, branches: run }) =>
      `${prompt.padEnd(16)} ${outcome.padEnd(5)} other calls after ${differing} of ${asked} prompts, ${run} branches`,
  );
  print(
    isJson,
    { prompts: tried, found, faulty: faulty.length, falseAlarms },
    [...lines, `${found} of ${faulty.length} faults found, ${falseAlarms} where there is none`].join('\n'),
  );
  return found >= faulty.length * MIN_FAULTS && falseAlarms === 0 ? 0 : 1;
}

function print(isJson: boolean, result: object, text: string): void {
  process.stdout.write(`${isJson ? JSON.stringify(result) : text}\n`);
}
