import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres } from '@phaseline/local-stack';
import { exitWithUsageError, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import { compareBacktest } from './backtest/compare-backtest.js';
import { measureSpeed } from './backtest/measure-speed.js';
import { checkIsolation } from './isolation/check-isolation.js';

const HELP = `npm run learning -- COMMAND [options]

backtest   plays generated jobs without guards and with generated ones in shadow, and compares what the guards decide live with
           their backtest on the job without them. Exits with code 1 if a guard decides otherwise.
isolation  generates pairs of jobs, one that leaves learning traces of every kind, of which some are promoted, and one that asks for them,
           on an embedded PostgreSQL. Exits with code 1 if a request of the second job contains one that was not promoted for it.
speed      reads a recorded job once per rule, and prints events per second.

  --runs N     jobs of backtest (default 100), pairs of isolation (default 1000), rules of speed (default 10)
  --calls N    calls of the model in a job (default 100)
  --guards N   guards per job of backtest (default 2)
  --seed S     first seed (default 1)
  --json       prints the result as JSON
  --help       prints this text
`;

const [command, ...rest] = process.argv.slice(2);
const commands = { backtest, isolation, speed } as const;
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
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  });
  const seed = parseWholeNumber('seed', values.seed, 0);
  const [calls, guards] = [parseWholeNumber('calls', values.calls), parseWholeNumber('guards', values.guards)];
  process.exitCode = await run({ runs: values.runs, calls, guards, seed, isJson: values.json });
}

interface Options {
  readonly runs: string | undefined;
  readonly calls: number;
  readonly guards: number;
  readonly seed: number;
  readonly isJson: boolean;
}

async function backtest({ runs = '100', calls, guards, seed, isJson }: Options): Promise<number> {
  const count = parseWholeNumber('runs', runs);
  const total = { jobs: count, calls: 0, guards: 0, decisions: 0, differences: 0 };
  for (let run = 0; run < count; run += 1) {
    const compared = await compareBacktest(seed + run, calls, guards);
    total.calls += compared.calls;
    total.guards += compared.guards;
    total.decisions += compared.decisions;
    total.differences += compared.differences.length;
    for (const { guard, live, tested } of compared.differences)
      process.stderr.write(
        `seed ${seed + run}, ${JSON.stringify(guard)}\nlive\n${live.join('\n')}\nbacktest\n${tested.join('\n')}\n`,
      );
  }
  const { differences } = total;
  print(
    isJson,
    total,
    `${total.calls} calls, ${total.guards} guards, ${total.decisions} decisions: ${differences} guards decide otherwise live`,
  );
  return differences === 0 ? 0 : 1;
}

async function isolation({ runs = '1000', seed, isJson }: Options): Promise<number> {
  const pairs = parseWholeNumber('runs', runs);
  const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-isolation-'));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  try {
    await migrate(postgres.ownerUrl);
    const report = await checkIsolation(postgres.serviceUrl, pairs, seed);
    const { traces, promoted, requests, seen, problems } = report;
    process.stderr.write(problems.map((problem) => `${problem}\n`).join(''));
    print(
      isJson,
      report,
      `${pairs} pairs, ${traces} learning traces (${promoted} promoted), ${requests} requests: ${seen} promoted ones read, ${problems.length} problems`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function speed({ runs = '10', calls, seed, isJson }: Options): Promise<number> {
  const measured = await measureSpeed(seed, calls, parseWholeNumber('runs', runs));
  const { rules, events, seconds, eventsPerSecond, heapMebibytes } = measured;
  print(
    isJson,
    measured,
    `${rules} rules over ${events} events in ${seconds.toFixed(1)} s: ${Math.round(eventsPerSecond)} events per second and rule, ` +
      `heap ${heapMebibytes.join(' → ')} MiB`,
  );
  return 0;
}

function print(isJson: boolean, result: object, text: string): void {
  process.stdout.write(`${isJson ? JSON.stringify(result) : text}\n`);
}
