import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '@phaseline/event-store';
import { readRssMiB } from './read-rss.js';

interface SampledProcess {
  readonly name: string;
  readonly pid: number;
}

export interface Sample {
  /** Seconds since the sampler started. */
  readonly seconds: number;
  /** Progress of the run, in its own unit. */
  readonly progress: number;
  /** Resident memory in MiB by process name. Processes of the same name are added up; a process that has exited is missing. */
  readonly rssMiB: Readonly<Record<string, number>>;
  /** Size of each table with its indexes and TOAST, in MiB. Tables outside the schema `phaseline` are named with their schema. */
  readonly tablesMiB: Readonly<Record<string, number>>;
  /** Transactions committed in the database since the sampler started, including two per earlier sample. */
  readonly commits: number;
}

export interface SamplerOptions {
  /** URL of the sampled database. */
  readonly databaseUrl: string;
  /** Returns the processes whose memory is read. Called for each sample. */
  readonly processes: () => readonly SampledProcess[];
  /** Returns the progress of the run. Called for each sample. */
  readonly progress: () => number;
  /** Interval in milliseconds. */
  readonly everyMs: number;
}

type Pool = ReturnType<typeof createPool>;

/** Samples memory, table sizes and commits at a fixed interval, from its start to `stop`, with a sample at both ends. */
export class Sampler {
  private readonly samples: Sample[] = [];
  private readonly stopping = new AbortController();
  private readonly began = performance.now();
  private firstCommits: number | undefined;
  private loop: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: SamplerOptions,
    private readonly pool: Pool,
  ) {}

  /** Takes the first sample, and one per interval from then on. */
  static async start(options: SamplerOptions): Promise<Sampler> {
    const sampler = new Sampler(options, createPool(options.databaseUrl, { max: 1, applicationName: 'soak-sampler' }));
    try {
      await sampler.take();
    } catch (error) {
      await sampler.pool.end();
      throw error;
    }
    sampler.loop = sampler.takeRepeatedly();
    // An error is reported by `stop`, which may be called much later.
    sampler.loop.catch(() => undefined);
    return sampler;
  }

  /** Takes the last sample and returns all. Rejects if a sample could not be taken. */
  async stop(): Promise<readonly Sample[]> {
    this.stopping.abort();
    try {
      await this.loop;
      await this.take();
      return this.samples;
    } finally {
      await this.pool.end();
    }
  }

  private async takeRepeatedly(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await sleep(this.options.everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.take();
    }
  }

  private async take(): Promise<void> {
    const [rssMiB, tablesMiB, commits] = await Promise.all([
      readRssByName(this.options.processes()),
      readTableSizes(this.pool),
      countCommits(this.pool),
    ]);
    this.firstCommits ??= commits;
    this.samples.push({
      seconds: (performance.now() - this.began) / 1_000,
      progress: this.options.progress(),
      rssMiB,
      tablesMiB,
      commits: commits - this.firstCommits,
    });
  }
}

async function readRssByName(processes: readonly SampledProcess[]): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { name, pid } of processes) {
    const rss = await readRssMiB(pid);
    if (rss !== undefined) sums[name] = (sums[name] ?? 0) + rss;
  }
  return sums;
}

async function readTableSizes(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string; mib: number | null }>(`
    SELECT CASE n.nspname WHEN 'phaseline' THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
           pg_total_relation_size(c.oid) / 1048576.0::float8 AS mib
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'`);
  // A table that was dropped while the statement ran has no size.
  return Object.fromEntries(rows.flatMap(({ name, mib }) => (mib === null ? [] : [[name, mib]])));
}

async function countCommits(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ commits: string }>(
    'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]!.commits);
}
