import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '@phaseline/event-store';
import { describeServices } from '@phaseline/harness';
import { startPostgres, startRedis, superviseServices } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';
import { countCommits } from './count-commits.js';

/*
 * Measures what a stack without jobs commits: the servers and the four services, as `phaseline up` starts them, on each queue backend. Waits
 * until the stack has calmed down, counts commits for some time, and then logs the statements for as long, to name who sends them.
 *
 * Options: backends, and whether to be quick.
 */

export interface IdleRow {
  readonly backend: 'postgres' | 'redis';
  readonly seconds: number;
  readonly commitsPerSecond: number;
  /** Statements per second of each application, and its most frequent one; most first. */
  readonly applications: readonly { readonly name: string; readonly perSecond: number; readonly most: string }[];
}

export interface IdleBenchOptions {
  readonly folder: string;
  readonly backends: readonly IdleRow['backend'][];
  /** Waits and counts for a shorter time, in which the stack is not idle yet. */
  readonly isQuick: boolean;
  readonly note: (what: string) => void;
}

const APPLICATION = 'bench-idle';
/** Time until the stack is idle: readers poll for some seconds after the last event, and connections report their last commits up to ten seconds late. */
const CALM_SECONDS = 15;
/** Length of each of the two counts: that of the longest interval of a timer of the services, so that each runs in it. */
const COUNT_SECONDS = 60;
const QUICK_SECONDS = 5;
const MAX_STATEMENT_CHARACTERS = 100;

/** Measures the backends one after the other, each with its own servers. */
export async function measureIdle({ backends, note, ...options }: IdleBenchOptions): Promise<IdleRow[]> {
  const rows: IdleRow[] = [];
  for (const backend of backends) {
    note(`the commits of an idle stack, ${backend} queues`);
    rows.push(await measureBackend(backend, options));
  }
  return rows;
}

async function measureBackend(
  backend: IdleRow['backend'],
  { folder: parent, isQuick }: Pick<IdleBenchOptions, 'folder' | 'isQuick'>,
): Promise<IdleRow> {
  const [calmSeconds, seconds] = isQuick ? [QUICK_SECONDS, QUICK_SECONDS] : [CALM_SECONDS, COUNT_SECONDS];
  const folder = join(parent, `idle-${backend}`);
  const statements = new StatementCounts();
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    durable: true,
    log: (line) => statements.add(line),
  });
  const redis = backend === 'redis' ? await startRedis({ dataDir: join(folder, 'redis') }) : undefined;
  const url = new URL(postgres.superuserUrl!);
  url.pathname = new URL(postgres.serviceUrl).pathname;
  const client = new pg.Client({ connectionString: url.href, application_name: APPLICATION });
  try {
    await migrate(postgres.ownerUrl);
    await migrateQueues(postgres.ownerUrl);
    await client.connect();
    const services = await describeServices({ databaseUrl: postgres.serviceUrl, redisUrl: redis?.url, folder });
    const supervision = await superviseServices(services, { logDirectory: join(folder, 'logs') });
    try {
      await sleep(calmSeconds * 1_000);
      const [before, started] = [await countCommits(client), performance.now()];
      await sleep(seconds * 1_000);
      const counted = (performance.now() - started) / 1_000;
      const commitsPerSecond = ((await countCommits(client)) - before) / counted;
      await logStatements(client);
      statements.clear();
      await sleep(seconds * 1_000);
      return { backend, seconds, commitsPerSecond, applications: statements.list(seconds) };
    } finally {
      await supervision.stop(5_000);
    }
  } finally {
    await client.end().catch(() => undefined);
    await redis?.stop();
    await postgres.stop();
  }
}

async function logStatements(client: pg.Client): Promise<void> {
  await client.query(`ALTER SYSTEM SET log_line_prefix = '${StatementCounts.PREFIX}%a|'`);
  await client.query(`ALTER SYSTEM SET log_statement = 'all'`);
  await client.query('SELECT pg_reload_conf()');
}

/** Counts the statements in the log of the server. */
class StatementCounts {
  static readonly PREFIX = 'statement-of|';
  private readonly counts = new Map<string, Map<string, number>>();

  clear(): void {
    this.counts.clear();
  }

  add(line: string): void {
    const [, application, statement] =
      /^statement-of\|([^|]*)\|LOG: {2}(?:statement|execute [^:]*): (.*)$/.exec(line) ?? [];
    if (application === undefined || application === APPLICATION) return;
    const own = this.counts.get(application) ?? new Map<string, number>();
    const text = statement!.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_CHARACTERS);
    this.counts.set(application, own.set(text, (own.get(text) ?? 0) + 1));
  }

  list(seconds: number): IdleRow['applications'] {
    return [...this.counts]
      .map(([name, own]) => ({
        name,
        perSecond: [...own.values()].reduce((sum, count) => sum + count, 0) / seconds,
        most: [...own].toSorted(([, a], [, b]) => b - a)[0]![0],
      }))
      .toSorted((a, b) => b.perSecond - a.perSecond);
  }
}
