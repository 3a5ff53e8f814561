import type { EventLog, OpenStreamsOptions, StreamHead } from '@phaseline/event-store';

const PAGE = 500;

/** Lists all open streams, page by page. */
export async function listOpenStreams(
  store: Pick<EventLog, 'openStreams'>,
  which: Pick<OpenStreamsOptions, 'prefix' | 'idleForMs'>,
): Promise<StreamHead[]> {
  const heads: StreamHead[] = [];
  for (let page: StreamHead[] = []; ;) {
    const after = page.at(-1)?.streamId;
    page = await store.openStreams({ ...which, limit: PAGE, ...(after === undefined ? {} : { after }) });
    heads.push(...page);
    if (page.length < PAGE) return heads;
  }
}
