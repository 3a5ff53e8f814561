import {
  decodePhaseEvent,
  isEncryptedJob,
  parseStreamName,
  passOverUndecodable,
  type PhaseEvent,
} from '@phaseline/domain';
import {
  Subscription,
  type RecordedEvent,
  type SubscriptionOptions,
  toQueryable,
  type Queryable,
} from '@phaseline/event-store';
import type pg from 'pg';

/** Name under which the checkpoints are stored. */
const SUBSCRIPTION = 'experiences';

/** Polling interval in milliseconds. Nothing waits for experiences; a job that starts a moment later gets them. */
const POLL_MS = 2_000;

/** Number of experiences kept per agent and tenant, the newest. */
const MAX_EXPERIENCES = 500;

/** Creates the subscription that stores what jobs learned, with rows and checkpoint in one transaction. */
export function createExperiencesProjection(
  pool: pg.Pool,
  options: Pick<SubscriptionOptions, 'replicaId' | 'listener' | 'onError' | 'pollMs' | 'leaseMs' | 'cold'> = {},
): Subscription {
  return new Subscription(pool, {
    pollMs: POLL_MS,
    ...options,
    name: SUBSCRIPTION,
    // There are few of these events.
    partitions: 1,
    types: ['ExperienceNoted'],
    handleInTransaction: (transaction, events) => projectExperiences(toQueryable(transaction), events),
  });
}

/**
 * Adds the experiences of these events to the table; existing ones change nothing. Encrypted jobs contribute none,
 * because their content must become unreadable when their key is destroyed. Throws UndecodableEvent.
 */
async function projectExperiences(transaction: Queryable, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    const stream = parseStreamName(recorded.streamId);
    if (!stream || isEncryptedJob(stream.jobId)) continue;
    const event = decodeIfReadable(recorded);
    if (event?.type !== 'ExperienceNoted') continue;
    const { kind, text } = event.data;
    // The tenant and agent are in the job's first event: JobSubmitted, or JobForked, which repeats them.
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
    if (added) await deleteOldest(transaction, added);
  }
}

function decodeIfReadable(recorded: RecordedEvent): PhaseEvent | undefined {
  try {
    return decodePhaseEvent(recorded);
  } catch (error) {
    return passOverUndecodable(error);
  }
}

async function deleteOldest(
  transaction: Queryable,
  { tenant, agent }: { readonly tenant: string; readonly agent: string },
): Promise<void> {
  await transaction.query(
    `DELETE FROM phaseline.experiences WHERE tenant = $1 AND agent = $2 AND position <= (
       SELECT position FROM phaseline.experiences WHERE tenant = $1 AND agent = $2
       ORDER BY position DESC OFFSET ${MAX_EXPERIENCES} LIMIT 1)`,
    [tenant, agent],
  );
}
