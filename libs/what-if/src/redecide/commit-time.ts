import type { Commit } from '../log/commits.js';
import type { DecodedEvent } from '../log/decoded-event.js';

/**
 * The time at which a commit was decided, as its events show it: texts that are compared contain it. Falls back to the time at which it was
 * recorded, which is a little later.
 */
export function getCommitTime({ recorded, events }: Commit): Date {
  for (const one of events) {
    // Only these are decoded for their time.
    const shown = timedTypes.has(one.recorded.type) ? findTime(one.event) : undefined;
    if (shown !== undefined) return new Date(shown);
  }
  return new Date(recorded[0].recordedAt);
}

const timedTypes: ReadonlySet<string> = new Set<DecodedEvent['event']['type']>([
  ...(['FileWritten', 'QuestionAsked', 'ModelAwaited', 'JobPaused', 'JobCompleted'] as const),
]);

function findTime({ type, data }: DecodedEvent['event']): string | undefined {
  switch (type) {
    case 'FileWritten':
      // What changed outside of a call or a commit has the time of that change.
      return data.origin === undefined ? data.writtenAt : undefined;
    case 'QuestionAsked':
      return data.askedAt;
    case 'ModelAwaited':
      return data.since;
    case 'JobPaused':
      return data.pausedAt;
    case 'JobCompleted':
      return data.file?.writtenAt;
    default:
      return undefined;
  }
}
