import type { ProfileGroup } from '../profile/group-profile.js';
import { saveProfile } from '../profile/save-profile.js';
import { measureSteps, type StepBenchOptions } from '../step-bench.js';
import type { StatementKind } from './classify-statement.js';
import { countCalls, type CallCounts } from './count-calls.js';
import { MeasuredServers, type ServerCounts } from './measured-servers.js';
import { divideCounts, subtractCounts, type Counts } from './per-step.js';
import { nameWay, type StepWay } from './step-way.js';

/*
 * Measures what a step costs, as counts: each figure is what the steps of a long run add to those of a short one, so it contains no
 * connections and no starts of jobs. Two runs read the counters of the servers and the processor time; two others count calls in
 * this process, which takes time.
 *
 * Options: lanes, whether messages pass through the queues, concurrent jobs, steps of the two runs, and a folder for profiles.
 */

export interface CostBenchOptions {
  /** Folder for the data of the servers. */
  readonly folder: string;
  readonly ways: readonly StepWay[];
  readonly loads: readonly CostLoad[];
  /** Folder for a `.cpuprofile` per row; without it, nothing is profiled. */
  readonly profileFolder?: string | undefined;
  readonly note: (what: string) => void;
}

/** Concurrent jobs, and how long they are in the two runs. */
interface CostLoad {
  readonly jobs: number;
  readonly shortSteps: number;
  readonly longSteps: number;
}

export interface CostRow {
  readonly backend: 'postgres' | 'redis';
  readonly lane: StepBenchOptions['lane'];
  /** Whether all messages passed through the queue. */
  readonly isQueued: boolean;
  readonly jobs: number;
  /** Steps by which the long runs are longer than the short ones. All other figures are per step. */
  readonly steps: number;
  readonly database: ServerCounts['database'];
  readonly statements: Counts<StatementKind>;
  readonly work: CallCounts['work'];
  /** Commands by name, with those inside of scripts; empty without Redis. */
  readonly redisCommands: Counts;
  /** Processor time in microseconds, of all threads and processes. */
  readonly processorMicros: Counts<'node' | 'postgres' | 'redis'>;
  /** Self times of this process in a profiled long run with its start, the ten largest first. */
  readonly profile?: readonly ProfileGroup[];
}

/** Measures every load of every way on each available queue backend. Throws `BenchFailed` if a job did not complete. */
export async function measureCosts(options: CostBenchOptions): Promise<CostRow[]> {
  const { ways, loads, note } = options;
  const servers = await MeasuredServers.start(options.folder);
  try {
    const rows: CostRow[] = [];
    for (const backend of servers.backends)
      for (const way of ways)
        for (const load of loads) {
          const count = `${load.jobs} ${load.jobs === 1 ? 'job' : 'jobs'}`;
          note(`what ${nameWay(way)} steps cost, ${count}, ${backend.backend} queues`);
          const row = { databaseUrl: servers.databaseUrl, backend, ...way, jobs: load.jobs };
          rows.push(await measureRow(servers, row, load, options.profileFolder));
        }
    return rows;
  } finally {
    await servers.stop();
  }
}

type RowOptions = Omit<StepBenchOptions, 'stepsPerJob'>;

async function measureRow(
  servers: MeasuredServers,
  row: RowOptions,
  { jobs, shortSteps, longSteps }: CostLoad,
  profileFolder: string | undefined,
): Promise<CostRow> {
  const run = (stepsPerJob: number) => measureSteps({ ...row, stepsPerJob });
  await run(shortSteps);
  const short = await measureRun(servers, () => run(shortSteps));
  const long = await measureRun(servers, () => run(longSteps));
  const { counts: shortCalls } = await countCalls(() => run(shortSteps));
  const { counts: longCalls } = await countCalls(() => run(longSteps));
  const steps = jobs * (longSteps - shortSteps);
  const perStep = <Name extends string>(after: Counts<Name>, before: Partial<Counts<Name>>): Counts<Name> =>
    divideCounts(subtractCounts(after, before), steps);
  const { backend } = row.backend;
  const { lane, isQueued = false } = row;
  const name = [backend, lane, ...(isQueued ? ['queued'] : []), jobs].join('-');
  return {
    ...{ backend, lane, isQueued, jobs, steps },
    database: perStep(long.database, short.database),
    statements: perStep(longCalls.statements, shortCalls.statements),
    work: perStep(longCalls.work, shortCalls.work),
    redisCommands: backend === 'redis' ? perStep(long.redisCommands, short.redisCommands) : {},
    processorMicros: {
      ...perStep(long.processorMicros, short.processorMicros),
      // Redis runs beside the measured servers, but does nothing for these jobs.
      ...(backend === 'redis' ? {} : { redis: 0 }),
    },
    ...(profileFolder === undefined
      ? {}
      : { profile: await saveProfile(async () => (await run(longSteps)).steps, { folder: profileFolder, name }) }),
  };
}

/** Returns what a run adds to the counters of the servers and to the processor time of this process. */
async function measureRun(
  servers: MeasuredServers,
  run: () => Promise<unknown>,
): Promise<Omit<ServerCounts, 'processorMicros'> & Pick<CostRow, 'processorMicros'>> {
  const before = await servers.read();
  const cpuBefore = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(cpuBefore);
  const after = await servers.read();
  return {
    database: subtractCounts(after.database, before.database),
    redisCommands: subtractCounts(after.redisCommands, before.redisCommands),
    processorMicros: { node: user + system, ...subtractCounts(after.processorMicros, before.processorMicros) },
  };
}
