import type { InboxItem, PhaselineClient } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';

/**
 * Hash of no question and no arguments. A decision on a call that is not in the inbox is sent with it: the server knows whether the call was
 * decided before, and refuses with that reason.
 */
export const NO_VERSION = '0'.repeat(64);

/** Finds what a person wants to decide, as it is now; undefined if it does not wait. */
export async function findInboxItem(
  client: Pick<PhaselineClient, 'inbox'>,
  jobId: JobId,
  callId: CallId,
  kind: 'approval' | 'question',
  signal: AbortSignal,
): Promise<InboxItem | undefined> {
  for await (const item of client.inbox({ jobId, kind }, { signal })) {
    // An older server may ignore the filter.
    if (item.kind === kind && item.callId === callId) return item;
  }
  return undefined;
}
