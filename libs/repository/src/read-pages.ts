import type { StreamId } from '@phaseline/contracts';
import type { EventContent, EventLog, ReadOptions } from '@phaseline/event-store';

/** Maximum number of events that are folded at a time. Each fold copies the tree of files once, and holds its events until it ends. */
export const PAGE_EVENTS = 1_000;

/** Yields the events of a stream a page at a time, so that a stream of any length takes bounded memory. An empty stream has no page. */
export async function* readPages(
  store: Pick<EventLog, 'iterate' | 'iteratePages'>,
  streamId: StreamId,
  options: Pick<ReadOptions, 'from' | 'to'> = {},
): AsyncGenerator<readonly EventContent[], void, undefined> {
  // What is newer than a known state is short, and `iterate` reads it in one round trip.
  if (store.iteratePages && (options.from ?? 1) === 1) {
    yield* store.iteratePages(streamId, options);
    return;
  }
  let page: EventContent[] = [];
  for await (const event of store.iterate(streamId, options)) {
    page.push(event);
    if (page.length < PAGE_EVENTS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
