import { createPool, EventStore } from '@phaseline/event-store';
import { generateLog, SeededRandom } from '@phaseline/harness';
import { rebuildReadModels } from '@phaseline/projections';
import { ProgressLine } from '../progress-line.js';
import { Sampler, type Sample } from '../samples/sampler.js';
import { measureAppends, type AppendFigures } from './measure-appends.js';
import { findRandomJobs, measureJobReads, type JobReadFigures } from './measure-job-reads.js';
import { measureLists, type ListFigures } from './measure-lists.js';
import { verifyLog, type LogVerification } from './verify-log.js';

type Pool = ReturnType<typeof createPool>;

export interface LogOptions {
  /** URL of the database as its owner, who vacuums it. */
  readonly ownerUrl: string;
  /** URL of the database with the rights of a service. */
  readonly databaseUrl: string;
  /** Number of events to fill the log with, without those of the measured appends. */
  readonly events: number;
  readonly seed: number;
  /** Appends per measurement; default 500. */
  readonly appends?: number;
  /** Jobs that are read per measurement; default 40. */
  readonly jobReads?: number;
  /** Time that the verification of all chains may take before a sample is verified instead, in milliseconds; default ten minutes. */
  readonly maxVerifyMs?: number;
  readonly note: (line: string) => void;
}

/** Figures at one length of the log. */
interface LogRow {
  /** Events in the log before the measurement. */
  readonly events: number;
  /** Rate at which this tenth was filled. */
  readonly filledPerSecond: number;
  readonly appends: AppendFigures;
  readonly jobReads: JobReadFigures;
  /** Absent at lengths at which the read models are not rebuilt. */
  readonly lists?: ListFigures;
}

export interface LogReport {
  readonly passed: boolean;
  readonly seed: number;
  /** Events in the log at the end, with those of the measured appends. */
  readonly events: number;
  readonly jobs: number;
  readonly seconds: number;
  readonly rows: readonly LogRow[];
  readonly verification: LogVerification;
  readonly samples: readonly Sample[];
  /** Empty if all checks passed. */
  readonly problems: readonly string[];
}

const TENTHS = 10;
/**
 * Tenths after which the read models are rebuilt and the list of jobs is measured. A rebuild reads the whole log, so one after each tenth
 * would read it five and a half times.
 */
const REBUILD_AFTER: readonly number[] = [1, 2, 5, 10];
/** Concurrent jobs, whose appends share commits. */
const MAX_JOBS_AT_ONCE = 256;
/** Jobs that run at the end of a tenth stay unfinished, so a short log has fewer of them. About as many events as a job has. */
const EVENTS_PER_JOB = 200;
const POOL_CONNECTIONS = 16;
const SAMPLE_EVERY_MS = 5_000;
const VERIFIED_JOBS = 1_000;

/**
 * Fills a log with realistic jobs through appends, and measures appends and reads after each tenth. At the end, verifies the hash chains
 * and compares the number of events and jobs in the database with what was appended.
 */
export async function runLog(options: LogOptions): Promise<LogReport> {
  const { databaseUrl, seed, note } = options;
  const began = performance.now();
  const pool = createPool(databaseUrl, { max: POOL_CONNECTIONS, applicationName: 'soak' });
  const owner = createPool(options.ownerUrl, { max: 1, applicationName: 'soak-owner' });
  const progress = new ProgressLine(note);
  const log = new GrowingLog(options, pool, owner, progress);
  try {
    const sampler = await Sampler.start({
      databaseUrl,
      processes: () => [{ name: 'writers', pid: process.pid }],
      progress: () => log.events,
      everyMs: SAMPLE_EVERY_MS,
    });
    let samples: readonly Sample[];
    let verification: LogVerification;
    const rows: LogRow[] = [];
    try {
      for (let tenth = 1; tenth <= TENTHS; tenth += 1) rows.push(await log.growTo(tenth));
      verification = await log.verify();
    } finally {
      samples = await sampler.stop();
    }
    const problems = [...log.problems, ...verification.problems];
    return {
      passed: problems.length === 0 && verification.problemCount === 0,
      seed,
      events: log.events,
      jobs: log.jobs,
      seconds: (performance.now() - began) / 1_000,
      rows,
      verification,
      samples,
      problems,
    };
  } finally {
    progress.stop();
    await Promise.all([pool.end(), owner.end()]);
  }
}

class GrowingLog {
  readonly problems: string[] = [];
  /** Events and jobs appended so far. */
  events = 0;
  jobs = 0;
  private filled = 0;
  private readonly random: SeededRandom;
  /** Separate, so that the jobs of the log do not depend on what is measured. */
  private readonly choices: SeededRandom;

  constructor(
    private readonly options: LogOptions,
    private readonly pool: Pool,
    private readonly owner: Pool,
    private readonly progress: ProgressLine,
  ) {
    this.random = new SeededRandom(options.seed);
    this.choices = new SeededRandom(options.seed + 1);
  }

  /** Fills the log up to a tenth of its final length, and measures. */
  async growTo(tenth: number): Promise<LogRow> {
    const { databaseUrl, appends = 500, jobReads = 40 } = this.options;
    const filledPerSecond = await this.fill(Math.round((this.options.events * tenth) / TENTHS));
    const { events } = this;
    const lists = REBUILD_AFTER.includes(tenth);
    if (lists) await this.rebuild();
    this.progress.begin(`${formatCount(events)} events: vacuum`);
    // Otherwise autovacuum might run in the middle of a measurement.
    await this.owner.query('VACUUM (ANALYZE)');
    this.progress.begin(`${formatCount(events)} events: appends`);
    const appended = await measureAppends(databaseUrl, appends);
    this.events += appended.appended;
    this.progress.begin(`${formatCount(events)} events: reads`);
    return {
      events,
      filledPerSecond,
      appends: appended,
      jobReads: await measureJobReads(this.pool, await findRandomJobs(this.pool, this.choices, jobReads)),
      ...(lists ? { lists: await measureLists(this.pool) } : {}),
    };
  }

  /** Verifies the chains, and that the log contains the events that were appended. */
  async verify(): Promise<LogVerification> {
    this.progress.begin('counting events');
    const { rows } = await this.pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
    this.expect('events', Number(rows[0]!.count), this.events);
    this.progress.begin('verifying the hash chains');
    const verification = await verifyLog({
      pool: this.pool,
      events: this.events,
      maxMs: this.options.maxVerifyMs ?? 600_000,
      findSample: () => findRandomJobs(this.pool, this.choices, VERIFIED_JOBS),
      onProgress: (events) =>
        this.progress.update(`verifying the hash chains: ${formatCount(events)} of ${formatCount(this.events)} events`),
    });
    if (!verification.sample) this.expect('verified events', verification.events, this.events);
    return verification;
  }

  /** Returns the number of events per second. */
  private async fill(upTo: number): Promise<number> {
    const before = this.events;
    this.progress.begin(`filling the log up to ${formatCount(upTo)} events`);
    const store = new EventStore(this.pool);
    const events = upTo - this.filled;
    const part = await generateLog({
      store,
      events,
      random: this.random,
      jobsAtOnce: Math.min(MAX_JOBS_AT_ONCE, Math.ceil(events / EVENTS_PER_JOB)),
      onProgress: (appended) => {
        this.events = before + appended;
        this.progress.update(`filling the log: ${formatCount(this.events)} events`);
      },
    });
    await store.close();
    this.filled += part.events;
    this.jobs += part.jobs;
    return part.events / part.seconds;
  }

  private async rebuild(): Promise<void> {
    this.progress.begin('rebuilding the read models');
    const { jobs } = await rebuildReadModels(this.pool, {
      onProgress: (built) =>
        this.progress.update(
          `rebuilding the read models: ${formatCount(built.jobs)} of ${formatCount(built.ofJobs)} jobs`,
        ),
    });
    this.expect('rebuilt jobs', jobs, this.jobs);
  }

  private expect(what: string, found: number, expected: number): void {
    if (found !== expected)
      this.problems.push(`${what}: found ${formatCount(found)}, expected ${formatCount(expected)}`);
  }
}

function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
