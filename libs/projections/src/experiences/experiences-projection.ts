import { decodePhaseEvent, isSealedJob, parseStreamName, UndecodableEvent, type PhaseEvent } from '@phaseline/domain';
import { Subscription, type RecordedEvent, type SubscriptionOptions } from '@phaseline/event-store';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../tables/queryable.js';

/** Checkpoints are stored under it. */
const SUBSCRIPTION = 'experiences';

/** Nobody waits for these; a job that begins a moment later has them. */
const POLL_MS = 2_000;

/** So many are kept of each agent and tenant, the newest. */
const KEPT = 500;

/** The subscription that keeps what jobs learned: rows and checkpoint in one transaction. */
export function experiencesProjection(
  pool: pg.Pool,
  options: Pick<SubscriptionOptions, 'replicaId' | 'listener' | 'onError' | 'pollMs' | 'leaseMs'> = {},
): Subscription {
  return new Subscription(pool, {
    pollMs: POLL_MS,
    ...options,
    name: SUBSCRIPTION,
    // They are few.
    partitions: 1,
    types: ['ExperienceNoted'],
    handleInTransaction: (transaction, events) =>
      projectExperiences(
        {
          query: (text, values) =>
            transaction.executeQuery(CompiledQuery.raw(text, values)) as Promise<{ rows: never[] }>,
        },
        events,
      ),
  });
}

/**
 * Brings the table up to these events. One that is in it changes nothing. Sealed jobs contribute none: what they hold must be
 * gone when their key is. Throws UndecodableEvent.
 */
export async function projectExperiences(transaction: Queryable, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    const stream = parseStreamName(recorded.streamId);
    if (!stream || isSealedJob(stream.jobId)) continue;
    const event = readable(recorded);
    if (event?.type !== 'ExperienceNoted') continue;
    const { kind, text } = event.data;
    // Whose it is stands in the job's first event: JobSubmitted, or JobForked, which carries it.
    const { rows } = await transaction.query<{ tenant: string; agent: string }>(
      `INSERT INTO phaseline.experiences (position, tenant, agent, job_id, kind, text)
       SELECT $1, coalesce(data ->> 'tenant', data -> 'carried' ->> 'tenant', 'default'),
         coalesce(data -> 'agent' ->> 'name', data -> 'carried' ->> 'agent'), $2::uuid, $3, left($4, 1000)
       FROM phaseline.events WHERE stream_id = $5 AND version = 1
       ON CONFLICT (position) DO NOTHING
       RETURNING tenant, agent`,
      [recorded.position, stream.jobId, kind, text, `job-${stream.jobId}`],
    );
    const [added] = rows;
    if (added) await forgetOldest(transaction, added);
  }
}

/** What nobody can read is no experience, and must not hold up those of other jobs. An event of a newer release is left to it. */
function readable(recorded: RecordedEvent): PhaseEvent | undefined {
  try {
    return decodePhaseEvent(recorded);
  } catch (error) {
    if (!(error instanceof UndecodableEvent) || error.newer) throw error;
    return undefined;
  }
}

async function forgetOldest(
  transaction: Queryable,
  { tenant, agent }: { readonly tenant: string; readonly agent: string },
): Promise<void> {
  await transaction.query(
    `DELETE FROM phaseline.experiences WHERE tenant = $1 AND agent = $2 AND position <= (
       SELECT position FROM phaseline.experiences WHERE tenant = $1 AND agent = $2
       ORDER BY position DESC OFFSET ${KEPT} LIMIT 1)`,
    [tenant, agent],
  );
}
