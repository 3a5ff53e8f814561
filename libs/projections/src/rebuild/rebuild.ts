import type { ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import { deleteBehind, findUnderstoodJobs } from '../behind/behind-jobs.js';
import {
  readCheckpoints,
  toBoundParameters,
  maxBounds,
  readSafeBounds,
  PARTITIONS,
  SUBSCRIPTION,
  type LogBounds,
} from '../log/log-bounds.js';
import { findJobsBetween, findPartitionsBetween } from '../log/read-jobs.js';
import { readModelNames, REVISION, type ReadModelName } from '../models/read-model.js';
import { lockVersionsExclusive, tryLockRebuild, unlockRebuild } from '../tables/locks.js';
import { readActiveRows, readVersionRows } from '../tables/table-versions.js';
import { buildAllJobs, type BuildProgress } from './build-all-jobs.js';
import { replaceJobs, type BuiltVersions } from './build-jobs.js';
import { RebuildRunning } from './rebuild-errors.js';
import { runInTransaction, withUtcSession } from './session.js';

export interface RebuildOptions {
  /** Read models to rebuild; default all. When the tables are those of an older release, all are rebuilt. */
  readonly names?: readonly ReadModelName[];
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Where the events of moved jobs are; needed if there are any. */
  readonly cold?: ColdStorage | undefined;
  readonly signal?: AbortSignal;
}

export interface RebuildReport {
  /** The version that is now active, by read model. */
  readonly versions: Readonly<Partial<Record<ReadModelName, number>>>;
  readonly jobs: number;
  readonly events: number;
  readonly elapsedMs: number;
  /**
   * Time during which the read models were not updated because of the switch, in milliseconds. They remained readable
   * during this time.
   */
  readonly switchMs: number;
  /** Versions left by interrupted rebuilds, which were dropped first, such as `jobs v3`. */
  readonly droppedVersions: readonly string[];
}

/** Number of jobs below which the catch-up ends; few enough to fold while updates of the read models wait. */
const MAX_JOBS_AT_SWITCH = 40;
/** Maximum number of catch-up rounds; after that, switch anyway and accept a longer pause. */
const MAX_CATCH_UP_ROUNDS = 12;
const JOBS_PER_TRANSACTION = 200;
/**
 * A reader in a long transaction keeps a view or table locked. Time out and retry, so that no other session waits for this
 * lock for long.
 */
const LOCK_TIMEOUT_MS = 3_000;
const LOCK_TRIES = 20;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Rebuilds read models from the log next to the active ones, and switches to them. Readers see the old rows until the
 * switch and the new ones afterwards, and the live tail continues throughout. Then the old tables are dropped.
 *
 * Tables left by an interrupted rebuild are dropped first. Throws RebuildRunning, database errors, or the signal's
 * reason.
 */
export async function rebuildReadModels(pool: pg.Pool, options: RebuildOptions = {}): Promise<RebuildReport> {
  return withUtcSession(pool, async (lock) => {
    if (!(await tryLockRebuild(lock))) throw await rebuildUnderWay(lock);
    try {
      return await rebuild(pool, options);
    } finally {
      await unlockRebuild(lock).catch(() => undefined);
    }
  });
}

async function rebuild(pool: pg.Pool, options: RebuildOptions): Promise<RebuildReport> {
  const { onProgress, signal, cold } = options;
  const startedAt = performance.now();
  const cleared = await clearLeftovers(pool);
  const names = await namesToBuild(pool, options.names ?? readModelNames);
  const isFullRebuild = names.length === readModelNames.length;
  const versions = await createVersions(pool, names);
  try {
    // A rebuild of all models may advance the checkpoint; a rebuild of some models must stop at the position of the
    // others, because all models share one checkpoint.
    let built = isFullRebuild
      ? await withUtcSession(pool, (client) => boundsOfFullRebuild(client))
      : await readCheckpoints(pool);
    const { jobs, events } = await buildAllJobs(pool, versions, built, { onProgress, signal, cold });
    for (let round = 0; round < MAX_CATCH_UP_ROUNDS; round += 1) {
      signal?.throwIfAborted();
      const to = maxBounds(built, await readCheckpoints(pool));
      const behind = await withUtcSession(pool, (client) => catchUp(client, versions, built, to, cold));
      built = to;
      if (behind <= MAX_JOBS_AT_SWITCH) break;
    }
    const switchMs = await switchTo(pool, versions, built, isFullRebuild, cold);
    await clearLeftovers(pool);
    const elapsedMs = Math.round(performance.now() - startedAt);
    return { versions: Object.fromEntries(versions), jobs, events, elapsedMs, switchMs, droppedVersions: cleared };
  } catch (error) {
    // The next rebuild drops what cannot be dropped now.
    await clearLeftovers(pool).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the bounds of a complete rebuild. They are not behind the checkpoints of the live tail, which never pass the
 * gate.
 */
async function boundsOfFullRebuild(client: pg.PoolClient): Promise<LogBounds> {
  const reached = await readCheckpoints(client);
  return maxBounds(reached, await readSafeBounds(client));
}

async function namesToBuild(pool: pg.Pool, requested: readonly ReadModelName[]): Promise<readonly ReadModelName[]> {
  const active = await readActiveRows(pool);
  const outdated = readModelNames.some((name) => active.get(name)?.revision !== REVISION);
  return readModelNames.filter((name) => outdated || requested.includes(name));
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

/** Advances the new tables from one bound to another. Returns how many jobs changed. */
async function catchUp(
  client: pg.PoolClient,
  versions: BuiltVersions,
  from: LogBounds,
  to: LogBounds,
  cold: ColdStorage | undefined,
): Promise<number> {
  const jobIds = await findJobsBetween(client, from, to);
  for (let done = 0; done < jobIds.length; done += JOBS_PER_TRANSACTION) {
    const page = jobIds.slice(done, done + JOBS_PER_TRANSACTION);
    await runInTransaction(client, 'BEGIN', () => replaceJobs(client, versions, page, to, cold));
  }
  return jobIds.length;
}

/**
 * Switches in one transaction: blocks writers, advances the new tables to the current checkpoints, and switches the
 * views.
 */
async function switchTo(
  pool: pg.Pool,
  versions: BuiltVersions,
  built: LogBounds,
  isFullRebuild: boolean,
  cold: ColdStorage | undefined,
): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    try {
      await withUtcSession(pool, (client) =>
        runInTransaction(client, 'BEGIN', async () => {
          await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
          await lockVersionsExclusive(client);
          const reached = await readCheckpoints(client);
          const jobIds = await findJobsBetween(client, built, maxBounds(built, reached));
          if (jobIds.length > 0) await replaceJobs(client, versions, jobIds, maxBounds(built, reached), cold);
          if (isFullRebuild) {
            await moveCheckpoints(client, reached, built);
            // Their new rows include what an older release did not understand.
            await deleteBehind(client, await findUnderstoodJobs(client));
          }
          for (const [name, version] of versions)
            await client.query('SELECT phaseline.activate_read_model($1, $2)', [name, version]);
        }),
      );
      return performance.now() - startedAt;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error;
    }
  }
}

/**
 * Moves the checkpoints of the live tail forward when the new tables are ahead of them, for example because no process
 * followed the log. Partitions that move are taken from their owners, which would otherwise write their own, older
 * checkpoint. Partitions without missed events are unchanged, so a tail that is up to date does not notice a rebuild.
 */
async function moveCheckpoints(client: pg.PoolClient, reached: LogBounds, built: LogBounds): Promise<void> {
  const ahead = maxBounds(reached, built);
  const places = toBoundParameters(ahead);
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
    [SUBSCRIPTION, ...places, await findPartitionsBetween(client, reached, ahead)],
  );
}

/** Drops unused tables: those of interrupted rebuilds, and those that were switched away from. Returns the former. */
async function clearLeftovers(pool: pg.Pool): Promise<string[]> {
  const cleared: string[] = [];
  for (const { name, version, state } of await readVersionRows(pool)) {
    if (state === 'active') continue;
    await dropVersion(pool, name, version);
    if (state === 'building') cleared.push(`${name} v${version}`);
  }
  return cleared;
}

async function dropVersion(pool: pg.Pool, name: ReadModelName, version: number): Promise<void> {
  await withUtcSession(pool, async (client) => {
    for (let tries = 1; ; tries += 1) {
      try {
        await runInTransaction(client, 'BEGIN', async () => {
          await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
          await client.query('SELECT phaseline.drop_read_model($1, $2)', [name, version]);
        });
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
        // Another session reads it in a long transaction. The table does no harm, and the next rebuild drops it.
        if (tries === LOCK_TRIES) return;
      }
    }
  });
}

async function rebuildUnderWay(client: pg.PoolClient): Promise<RebuildRunning> {
  const building = (await readVersionRows(client)).filter(({ state }) => state === 'building');
  return new RebuildRunning(
    building.map(({ name, version }) => `${name} v${version}`),
    building[0]?.created_at,
  );
}
