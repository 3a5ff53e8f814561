import type { JobId } from '@phaseline/contracts';
import { decodeJobEvent, decodePhaseEvent, parseStreamName } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { getTexts } from '../explain/read-file-history.js';
import { ClaimRecords, claimTypes, type ClaimRecord } from './claim-record.js';

/**
 * Lists the claims of a job in the order in which they were decided, or raised if they are open. Reads only the events of claims. Those
 * that a fork shares with its parent are listed with the parent. Throws UndecodableEvent.
 */
export async function listClaims(
  store: Pick<EventLog, 'iterateCorrelation'>,
  jobId: JobId,
): Promise<readonly ClaimRecord[]> {
  const claims = new ClaimRecords();
  for await (const recorded of store.iterateCorrelation(jobId, { types: claimTypes, texts: getTexts(jobId) })) {
    const isPhase = parseStreamName(recorded.streamId)?.kind === 'phase';
    const event = isPhase ? decodePhaseEvent(recorded) : decodeJobEvent(recorded);
    claims.apply(recorded, event as Parameters<ClaimRecords['apply']>[1]);
  }
  return claims.list();
}
