import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import { getActorName, type JobId } from '@phaseline/contracts';
import {
  getAdministrationVersion,
  MAX_JOBS_PER_REMOVAL,
  retentionStream,
  type LearningTracesRemoved,
} from '@phaseline/domain';
import { queryRows, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import type { RetentionSetting } from './retention-settings.js';
import type { RetentionOptions, RetentionResult } from './retention-types.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Learning traces that nobody promoted, and that no one has to find later: the condition of the index learning_traces_removable. */
const IS_REMOVABLE = `t.scope = 'job' AND t.action NOT IN ('promote_trace', 'override_guard')`;

interface DueJob {
  readonly jobId: JobId;
  /** Whether it ended long ago, and no hold is on it. */
  readonly isDue: boolean;
  readonly traces: number;
  /** Time of its last learning trace of this page, to the microsecond. */
  readonly last: string;
}

/**
 * Removes the learning traces of the jobs of a tenant whose time is over, by events that name the jobs. The projection of learning traces removes the
 * rows when it reads an event, and checks again what the log said before it. Yields the outcome for each job.
 */
export async function* removeLearningTraces(
  { store, pool }: { readonly store: EventStore; readonly pool: pg.Pool },
  { tenant, learningDays }: RetentionSetting,
  { actor, now, dryRun = false, signal }: RetentionOptions,
): AsyncGenerator<RetentionResult, void, undefined> {
  if (learningDays === null || (await isRemovalPending(pool, tenant))) return;
  const until = new Date(now.getTime() - learningDays * DAY_MS);
  const known = new Set<JobId>();
  for (let after = '-infinity'; ;) {
    signal?.throwIfAborted();
    const page = await listPage(pool, { tenant, until, after });
    if (page.length === 0) return;
    const due = page.filter(({ jobId, isDue }) => isDue && !known.has(jobId));
    if (due.length > 0 && !dryRun) {
      const jobs = due.map(({ jobId }) => jobId);
      const data = { actor: getActorName(actor), removedAt: now.toISOString(), tenant, jobs, afterDays: learningDays };
      // An interface lacks the index signature of JsonObject.
      await appendRemoval(store, data, { actor } as unknown as JsonObject);
    }
    for (const { jobId, traces } of due) {
      known.add(jobId);
      yield { jobId, tenant, outcome: { kind: 'traces-removed', traces } };
    }
    after = page[0]!.last;
  }
}

/** Whether the projection has not read the last removal of this tenant yet. Its rows would be found again. */
async function isRemovalPending(pool: pg.Pool, tenant: string): Promise<boolean> {
  const [row] = await queryRows<{ pending: boolean }>(pool, {
    text: `SELECT coalesce((
        SELECT (e.transaction_id, e.position) > (s.transaction_id, s.position) FROM phaseline.events AS e
        LEFT JOIN phaseline.subscriptions AS s ON s.name = 'learning-traces' AND s.partition = 0
        WHERE e.stream_id = $1 AND e.type = 'LearningTracesRemoved' ORDER BY e.version DESC LIMIT 1), false) AS pending`,
    values: [retentionStream(tenant)],
  });
  return row!.pending;
}

/** Lists jobs with old learning traces, as many as one event may name, newest trace of the page first. */
function listPage(
  pool: pg.Pool,
  { tenant, until, after }: { readonly tenant: string; readonly until: Date; readonly after: string },
): Promise<readonly DueJob[]> {
  return queryRows<DueJob>(pool, {
    text: `SELECT o.job_id AS "jobId", phaseline.is_long_ended(o.job_id::text, $2) AS "isDue", max(o.recorded_at)::text AS last,
        (SELECT count(*)::int FROM phaseline.learning_traces AS t WHERE t.job_id = o.job_id AND t.tenant = $1 AND ${IS_REMOVABLE}) AS traces
      FROM (
        SELECT t.job_id, t.recorded_at FROM phaseline.learning_traces AS t
        WHERE t.tenant = $1 AND ${IS_REMOVABLE} AND t.recorded_at < $2 AND t.recorded_at > $3
        ORDER BY t.recorded_at LIMIT ${MAX_JOBS_PER_REMOVAL}
      ) AS o GROUP BY o.job_id ORDER BY max(o.recorded_at) DESC`,
    values: [tenant, until, after],
  });
}

async function appendRemoval(
  store: EventStore,
  data: LearningTracesRemoved['data'],
  metadata: JsonObject,
): Promise<void> {
  const streamId = retentionStream(data.tenant);
  const type: LearningTracesRemoved['type'] = 'LearningTracesRemoved';
  await store.append({
    streamId,
    // The stream belongs to no job.
    correlationId: streamId as string,
    expectedVersion: 'any',
    events: [{ eventId: randomUUID(), type, schemaVersion: getAdministrationVersion(type), data, metadata }],
  });
}
