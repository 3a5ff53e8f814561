import type { RecordedEvent } from '@phaseline/event-store';
import type { SentDecision } from '../fleet/people.js';

/** What decided each event that ends a wait, as people name it. */
const waitEnds: Readonly<Record<string, (data: RecordedEvent['data']) => string>> = {
  QuestionAnswered: ({ answer }) => String(answer),
  QuestionTimedOut: () => 'timed out',
  ApprovalGranted: () => 'approved',
  ApprovalRefused: () => 'refused',
};

/**
 * Finds what is wrong with the questions and approvals of a job: each must end once, as exactly one person was told, and the agent must read the
 * answer that was accepted.
 */
export function findWaitLosses(events: readonly RecordedEvent[], decisions: readonly SentDecision[]): string[] {
  const losses: string[] = [];
  for (const { type, data } of events) {
    if (type !== 'QuestionAsked' && type !== 'ApprovalRequested') continue;
    const callId = String(data['callId']);
    const ofCall = events.filter((event) => event.data['callId'] === data['callId']);
    const ends = ofCall.flatMap((event) => {
      const describe = Object.hasOwn(waitEnds, event.type) ? waitEnds[event.type] : undefined;
      return describe ? [describe(event.data)] : [];
    });
    if (ends.length !== 1) losses.push(`${callId} was decided ${ends.length} times: ${ends.join(', ')}`);
    const accepted = decisions.filter((one) => one.callId === callId && one.isAccepted).map(({ value }) => value);
    if (accepted.length !== 1 || accepted[0] !== ends[0])
      losses.push(
        `people were told that ${callId} is ${accepted.join(' and ') || 'undecided'}; the log says ${ends.join(', ')}`,
      );
    if (
      type === 'ApprovalRequested' &&
      ends[0] === 'refused' &&
      ofCall.some((event) => event.type === 'ToolCallStarted')
    )
      losses.push(`${callId} was started although it was refused`);
    const result = ofCall.find((event) => event.type === 'ToolCallCompleted');
    if (type === 'QuestionAsked' && !String(result?.data['content']).endsWith(`answered: ${ends[0]}`))
      losses.push(`the agent did not read the answer of ${callId}: ${String(result?.data['content'])}`);
  }
  return losses;
}
