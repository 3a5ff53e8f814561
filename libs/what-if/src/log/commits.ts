import type { JsonObject } from '@phaseline/basics';
import type { RecordedEvent } from '@phaseline/event-store';
import { decodeEvent, type DecodedEvent } from './decoded-event.js';

/** What one process or person appended to a job in one transaction, in order: what was decided at once. */
export interface Commit {
  readonly recorded: readonly [RecordedEvent, ...RecordedEvent[]];
  /** The same events in their current shape, without those of streams that hold no state of the job. */
  readonly events: readonly DecodedEvent[];
}

/**
 * Groups the events of a job, in the order of the log, by the commits that wrote them. Each event is decoded once, with `decode`. Throws
 * UndecodableEvent.
 */
export async function* groupCommits(
  events: AsyncIterable<RecordedEvent>,
  decode: (event: RecordedEvent) => DecodedEvent | undefined = decodeEvent,
): AsyncGenerator<Commit, void, undefined> {
  let recorded: [RecordedEvent, ...RecordedEvent[]] | undefined;
  for await (const event of events) {
    if (recorded && isSameCommit(recorded[0], event)) {
      recorded.push(event);
      continue;
    }
    if (recorded) yield toCommit(recorded, decode);
    recorded = [event];
  }
  if (recorded) yield toCommit(recorded, decode);
}

function toCommit(recorded: Commit['recorded'], decode: (event: RecordedEvent) => DecodedEvent | undefined): Commit {
  return { recorded, events: recorded.flatMap((event) => decode(event) ?? []) };
}

/** Several writers may share a transaction, but each decided for itself. */
function isSameCommit(left: RecordedEvent, right: RecordedEvent): boolean {
  if (left.transactionId !== right.transactionId) return false;
  const [one, other] = [readActor(left), readActor(right)];
  return one.id === other.id && one.kind === other.kind;
}

/** Who appended an event. Events of old versions have only a name. */
export function readActor({ metadata: { actor } }: RecordedEvent): { readonly id: string; readonly kind?: string } {
  if (typeof actor !== 'object' || actor === null) return { id: String(actor) };
  const { id, kind } = actor as JsonObject;
  return { id: String(id), kind: String(kind) };
}
