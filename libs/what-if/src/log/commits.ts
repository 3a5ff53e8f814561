import { toCanonicalJson } from '@phaseline/basics';
import type { RecordedEvent } from '@phaseline/event-store';

/** The events that one process or person appended to a job in one transaction, in order: what was decided at once. */
export type Commit = readonly [RecordedEvent, ...RecordedEvent[]];

/** Groups the events of a job, in the order of the log, by the commits that wrote them. */
export async function* groupCommits(
  events: AsyncIterable<RecordedEvent> | Iterable<RecordedEvent>,
): AsyncGenerator<Commit, void, undefined> {
  let commit: [RecordedEvent, ...RecordedEvent[]] | undefined;
  for await (const event of events) {
    if (commit && isSameCommit(commit[0], event)) {
      commit.push(event);
      continue;
    }
    if (commit) yield commit;
    commit = [event];
  }
  if (commit) yield commit;
}

/** Several writers may share a transaction, but each decided for itself. */
function isSameCommit(left: RecordedEvent, right: RecordedEvent): boolean {
  return left.transactionId === right.transactionId && toActorKey(left) === toActorKey(right);
}

function toActorKey({ metadata }: RecordedEvent): string {
  return toCanonicalJson(metadata['actor'] ?? null);
}
