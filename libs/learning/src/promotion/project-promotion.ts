import { findAdministrationCatalogue, foldScope, passOverUndecodable, type PromotionEvent } from '@phaseline/domain';
import type { Queryable, RecordedEvent } from '@phaseline/event-store';

/** Sets the scope of a learning trace from an event of its stream. The event itself becomes a learning trace of the same job: what a person allowed. */
export async function projectPromotion(transaction: Queryable, recorded: RecordedEvent): Promise<void> {
  const event = decodeIfReadable(recorded);
  if (!event) return;
  const { trace, tenant, reason } = event.data;
  const scope = foldScope([event]);
  const { rows } = await transaction.query(
    'UPDATE phaseline.learning_traces SET scope = $3 WHERE id = $1 AND tenant = $2 RETURNING id',
    [trace, tenant, scope],
  );
  if (rows.length === 0 || event.type === 'LearningTraceWithdrawn') return;
  await transaction.query(
    `INSERT INTO phaseline.learning_traces (id, position, tenant, project, job_id, phase, recorded_at, type, source, action, reason,
       agent, feature, todo, task, happened, why)
     SELECT $2, $3, tenant, project, job_id, phase, $4, 'approval', 'user_correction', 'promote_trace', 'person_promoted',
       agent, feature, todo, task, $5, $6
     FROM phaseline.learning_traces WHERE id = $1
     ON CONFLICT (id) DO NOTHING`,
    [
      ...[trace, recorded.eventId, recorded.position, recorded.recordedAt],
      ...[`A person promoted the learning trace ${trace} (${scope})`, reason],
    ],
  );
}

function decodeIfReadable(recorded: RecordedEvent): PromotionEvent | undefined {
  try {
    return findAdministrationCatalogue(recorded.streamId)?.decode(recorded) as PromotionEvent | undefined;
  } catch (error) {
    return passOverUndecodable(error);
  }
}
