import type { StreamId } from '@phaseline/contracts';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';

/** Maximum number of events per read. Reading, checking and folding this many takes about 50 ms, in which nothing else runs. */
export const PAGE_EVENTS = 1_000;

/** Yields the events of a stream a page at a time, so that a stream of any length takes bounded memory. An empty stream has no page. */
export async function* readPages(
  store: Pick<EventLog, 'read'>,
  streamId: StreamId,
  { from = 1, to = Number.MAX_SAFE_INTEGER }: { readonly from?: number; readonly to?: number } = {},
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for (let next = from; next <= to;) {
    const page = await store.read(streamId, { from: next, to, limit: PAGE_EVENTS });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < PAGE_EVENTS) return;
    next = last.version + 1;
  }
}
