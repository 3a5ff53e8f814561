import type { JobId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';

/** A job to which a call delegated, as its own log has it. */
export interface ChildJob {
  readonly jobId: JobId;
  /** The call of the parent that delegated to it. */
  readonly callId: string;
}

/** Finds what is wrong with the delegations of a job: each has one child job, whose end is recorded once and completed its call. */
export function findDelegationLosses(events: readonly RecordedEvent[], children: readonly ChildJob[]): string[] {
  const losses: string[] = [];
  const ofType = (type: string, callId: string): readonly RecordedEvent[] =>
    events.filter((event) => event.type === type && event.data['callId'] === callId);
  const requested = new Set(
    events.filter(({ type }) => type === 'ChildJobRequested').map(({ data }) => String(data['callId'])),
  );
  for (const callId of requested) {
    const started = children.filter((child) => child.callId === callId);
    if (started.length !== 1) losses.push(`${callId} has ${started.length} child jobs`);
    const requests = ofType('ChildJobRequested', callId).length;
    if (requests !== 1) losses.push(`${callId} delegated ${requests} times`);
    const ends = ofType('ChildJobEnded', callId);
    if (ends.length !== 1) losses.push(`the child job of ${callId} has ${ends.length} recorded ends`);
    if (ofType('ToolCallCompleted', callId).length !== 1) losses.push(`${callId} did not complete once`);
  }
  for (const { jobId, callId } of children) if (!requested.has(callId)) losses.push(`nothing requested ${jobId}`);
  return losses;
}
