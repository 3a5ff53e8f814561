import { currentCatalogues, listWaitEnds, refuseEndedWait, toEndedWait, type ControlRequest } from '@phaseline/domain';
import type { ControlDecision, PhaseEvent } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import type { JobId } from '@phaseline/contracts';

/**
 * Returns the refusal of a decision on a call that was decided before. A phase keeps only the calls of its last response, so
 * the log is read. Other refusals stay as they are.
 */
export async function explainRefusal(
  store: Pick<EventLog, 'readCorrelation'>,
  jobId: JobId,
  request: ControlRequest,
  decision: Extract<ControlDecision, { readonly kind: 'refused' }>,
): Promise<Extract<ControlDecision, { readonly kind: 'refused' }>> {
  if (request.action !== 'approve' && request.action !== 'refuse' && request.action !== 'answer') return decision;
  // Every other code names what is wrong with a call that still waits.
  if (decision.code !== undefined && decision.code !== 'not_waiting') return decision;
  const { callId } = request;
  const events = await store.readCorrelation(jobId, { types: listWaitEnds(request.action) });
  for (const event of events.toReversed()) {
    const end = toEndedWait(currentCatalogues.phase.decode(event) as PhaseEvent, callId);
    if (end) return refuseEndedWait(callId, end, decision.waiting);
  }
  return decision;
}
