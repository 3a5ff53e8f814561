import type { InboxItem, PhaselineClient } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { UsageError } from '../command/command-errors.js';

/**
 * Finds what a person wants to decide, as it is now. Throws UsageError if it does not wait, and says how to see what does.
 */
export async function findInboxItem(
  client: Pick<PhaselineClient, 'inbox'>,
  jobId: JobId,
  callId: CallId,
  kind: 'approval' | 'question',
  signal: AbortSignal,
): Promise<InboxItem> {
  const waiting: string[] = [];
  for await (const item of client.inbox({ jobId, kind }, { signal })) {
    // An older server may ignore the filter.
    if (item.kind !== kind) continue;
    if (item.callId === callId) return item;
    waiting.push(item.callId);
  }
  const what = kind === 'approval' ? 'approval' : 'an answer';
  const others = waiting.length > 0 ? ` These do: ${waiting.join(', ')}.` : '';
  throw new UsageError(
    `No call ${callId} of job ${jobId} waits for ${what}.${others} See what waits with: phaseline inbox ${jobId}`,
  );
}
