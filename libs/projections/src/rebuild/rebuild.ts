import type pg from 'pg';
import { behindJobs, forgetBehind, readableAgain, understands } from '../behind/behind-jobs.js';
import { checkpoints, furthest, gate, PARTITIONS, SUBSCRIPTION, type LogBounds } from '../log/log-bounds.js';
import { jobsBetween, partitionsBetween } from '../log/read-jobs.js';
import { readModelNames, REVISION, type ReadModelName } from '../models/read-model.js';
import { changeVersions, tryLockRebuild, unlockRebuild } from '../tables/locks.js';
import { activeRows, versionRows } from '../tables/table-versions.js';
import { buildAllJobs, type BuildProgress } from './build-all-jobs.js';
import { replaceJobs, type BuiltVersions } from './build-jobs.js';
import { RebuildUnderWay } from './rebuild-errors.js';
import { inTransaction, inUtc } from './session.js';

export interface RebuildOptions {
  /** Which; default all. Where the tables are those of an older release, all are built whatever is named. */
  readonly names?: readonly ReadModelName[];
  readonly onProgress?: (progress: BuildProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RebuildReport {
  /** By name: the version that is read now. */
  readonly versions: Readonly<Partial<Record<ReadModelName, number>>>;
  readonly jobs: number;
  readonly events: number;
  readonly seconds: number;
  /** For how long the read models were not kept up because of the switch, in milliseconds. They could be read all the time. */
  readonly switchMs: number;
  /** Versions of rebuilds that were cut off, which were dropped first: `jobs v3`. */
  readonly cleared: readonly string[];
}

/** Few enough jobs to fold while the read models stand still. */
const LAST_JOBS = 40;
/** A system that works faster than it is caught up with is switched all the same, with a longer pause. */
const MOST_ROUNDS = 12;
const JOBS_AT_ONCE = 200;
/** A reader that stays in its transaction keeps a view or a table locked: then another try, so that nobody queues for long. */
const LOCK_TIMEOUT_MS = 3_000;
const LOCK_TRIES = 20;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Builds read models anew from the log, beside those that are read, and switches to them: readers see the old rows until the
 * switch and the new ones from then on, and the live tail goes on throughout. Afterwards the old tables are dropped.
 *
 * What one that was cut off has left behind is dropped first. Throws RebuildUnderWay, the database's errors, or the
 * signal's reason.
 */
export async function rebuildReadModels(pool: pg.Pool, options: RebuildOptions = {}): Promise<RebuildReport> {
  return inUtc(pool, async (lock) => {
    if (!(await tryLockRebuild(lock))) throw await underWay(lock);
    try {
      return await rebuild(pool, options);
    } finally {
      await unlockRebuild(lock).catch(() => undefined);
    }
  });
}

async function rebuild(pool: pg.Pool, options: RebuildOptions): Promise<RebuildReport> {
  const { onProgress, signal } = options;
  const began = performance.now();
  const cleared = await clearLeftovers(pool);
  const names = await namesToBuild(pool, options.names ?? readModelNames);
  const whole = names.length === readModelNames.length;
  const versions = await createVersions(pool, names);
  try {
    // All of them may go on from here; some must stand where the others do, since one checkpoint counts for all.
    let built = whole ? await inUtc(pool, (client) => startOfWhole(client)) : await checkpoints(pool);
    const { jobs, events } = await buildAllJobs(pool, versions, built, { onProgress, signal });
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      signal?.throwIfAborted();
      const to = furthest(built, await checkpoints(pool));
      const behind = await inUtc(pool, (client) => catchUp(client, versions, built, to));
      built = to;
      if (behind <= LAST_JOBS) break;
    }
    const switchMs = await switchTo(pool, versions, built, whole);
    await clearLeftovers(pool);
    const seconds = (performance.now() - began) / 1_000;
    return { versions: Object.fromEntries(versions), jobs, events, seconds, switchMs, cleared };
  } catch (error) {
    // What cannot be cleared now is cleared by the next one.
    await clearLeftovers(pool).catch(() => undefined);
    throw error;
  }
}

/** Not behind where the live tail stands: its checkpoints never pass the gate. */
async function startOfWhole(client: pg.PoolClient): Promise<LogBounds> {
  const reached = await checkpoints(client);
  return furthest(reached, await gate(client));
}

async function namesToBuild(pool: pg.Pool, asked: readonly ReadModelName[]): Promise<readonly ReadModelName[]> {
  const active = await activeRows(pool);
  const outdated = readModelNames.some((name) => active.get(name)?.revision !== REVISION);
  return readModelNames.filter((name) => outdated || asked.includes(name));
}

async function createVersions(pool: pg.Pool, names: readonly ReadModelName[]): Promise<BuiltVersions> {
  const versions = new Map<ReadModelName, number>();
  for (const name of names) {
    const { rows } = await pool.query<{ version: number }>('SELECT phaseline.create_read_model($1, $2) AS version', [
      name,
      REVISION,
    ]);
    versions.set(name, rows[0]!.version);
  }
  return versions;
}

/** Brings the new tables from one place to another. Returns how many jobs that took. */
async function catchUp(
  client: pg.PoolClient,
  versions: BuiltVersions,
  from: LogBounds,
  to: LogBounds,
): Promise<number> {
  const jobIds = await jobsBetween(client, from, to);
  for (let done = 0; done < jobIds.length; done += JOBS_AT_ONCE) {
    const page = jobIds.slice(done, done + JOBS_AT_ONCE);
    await inTransaction(client, 'BEGIN', () => replaceJobs(client, versions, page, to));
  }
  return jobIds.length;
}

/** In one transaction: lets nobody write, brings the new tables to where the old ones are, and moves the views. */
async function switchTo(pool: pg.Pool, versions: BuiltVersions, built: LogBounds, whole: boolean): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    try {
      await inUtc(pool, (client) =>
        inTransaction(client, 'BEGIN', async () => {
          await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
          await changeVersions(client);
          const reached = await checkpoints(client);
          const jobIds = await jobsBetween(client, built, furthest(built, reached));
          if (jobIds.length > 0) await replaceJobs(client, versions, jobIds, furthest(built, reached));
          if (whole) {
            await moveCheckpoints(client, reached, built);
            // Their new rows hold what an older release did not understand.
            const noted = [...(await behindJobs(client)).values()];
            const caughtUp = [...noted.filter(understands), ...(await readableAgain(client, noted))];
            await forgetBehind(
              client,
              caughtUp.map(({ jobId }) => jobId),
            );
          }
          for (const [name, version] of versions)
            await client.query('SELECT phaseline.activate_read_model($1, $2)', [name, version]);
        }),
      );
      return performance.now() - began;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error;
    }
  }
}

/**
 * The new tables may be further than the tail was, as when nobody followed the log: then it goes on from there. Partitions
 * that are moved are taken from whoever holds them, since that one would write its own, older checkpoint. One that has
 * nothing to make up is left alone: a tail that is up to date notices nothing of a rebuild.
 */
async function moveCheckpoints(client: pg.PoolClient, reached: LogBounds, built: LogBounds): Promise<void> {
  const ahead = furthest(reached, built);
  const places = [ahead.map(({ transactionId }) => transactionId), ahead.map(({ position }) => position)];
  await client.query(
    `INSERT INTO phaseline.subscriptions (name, partition, partitions, transaction_id, position)
     SELECT $1, n - 1, ${PARTITIONS}, ($2::text[])[n]::xid8, ($3::bigint[])[n] FROM generate_series(1, ${PARTITIONS}) AS n
     ON CONFLICT (name, partition) DO NOTHING`,
    [SUBSCRIPTION, ...places],
  );
  await client.query(
    `UPDATE phaseline.subscriptions
     SET transaction_id = ($2::text[])[partition + 1]::xid8, position = ($3::bigint[])[partition + 1], owner = NULL,
         lease_expires_at = NULL, updated_at = now()
     WHERE name = $1 AND partition = ANY ($4::integer[])`,
    [SUBSCRIPTION, ...places, await partitionsBetween(client, reached, ahead)],
  );
}

/** Drops tables that nobody reads: of rebuilds that were cut off, and those that were switched away from. */
async function clearLeftovers(pool: pg.Pool): Promise<string[]> {
  const cleared: string[] = [];
  for (const { name, version, state } of await versionRows(pool)) {
    if (state === 'active') continue;
    await dropVersion(pool, name, version);
    if (state === 'building') cleared.push(`${name} v${version}`);
  }
  return cleared;
}

async function dropVersion(pool: pg.Pool, name: ReadModelName, version: number): Promise<void> {
  await inUtc(pool, async (client) => {
    for (let tries = 1; ; tries += 1) {
      try {
        await inTransaction(client, 'BEGIN', async () => {
          await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
          await client.query('SELECT phaseline.drop_read_model($1, $2)', [name, version]);
        });
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
        // Somebody reads it in a long transaction. It is in nobody's way, and the next rebuild drops it.
        if (tries === LOCK_TRIES) return;
      }
    }
  });
}

async function underWay(client: pg.PoolClient): Promise<RebuildUnderWay> {
  const building = (await versionRows(client)).filter(({ state }) => state === 'building');
  return new RebuildUnderWay(
    building.map(({ name, version }) => `${name} v${version}`),
    building[0]?.created_at,
  );
}
