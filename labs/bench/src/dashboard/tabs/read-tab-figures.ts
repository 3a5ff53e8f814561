import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Figures } from './find-leaks.js';

/** What Chromium says about the process of a page. */
export interface TabFigures extends Figures {
  /** JavaScript heap in MB. */
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly documents: number;
}

/** Reads the figures of a page after a garbage collection. `session` is a session of its devtools. */
export async function readTabFigures(session: CDPSession): Promise<TabFigures> {
  await session.send('Performance.enable');
  // What finalisers release, only a second collection frees.
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const read = (name: string): number => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return {
    heap: read('JSHeapUsedSize') / 1_000_000,
    nodes: read('Nodes'),
    listeners: read('JSEventListeners'),
    documents: read('Documents'),
  };
}

/** Opens the devtools of a page. */
export function openTabSession(page: Page): Promise<CDPSession> {
  return page.context().newCDPSession(page);
}

/** Reads the JavaScript heap of the worker that all tabs share, in MB. Undefined if there is none. */
export async function readSharedWorkerHeap(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{ type: 'shared_worker' }] });
    const [worker] = targetInfos;
    if (!worker) return undefined;
    const { sessionId } = await session.send('Target.attachToTarget', { targetId: worker.targetId, flatten: false });
    await sendToTarget(session, sessionId, 1, 'HeapProfiler.collectGarbage');
    const { usedSize } = (await sendToTarget(session, sessionId, 2, 'Runtime.getHeapUsage')) as { usedSize: number };
    await session.send('Target.detachFromTarget', { sessionId });
    return usedSize / 1_000_000;
  } finally {
    await session.detach();
  }
}

/** Sends a command to a target that is no page, for which there is no session of its own. */
async function sendToTarget(session: CDPSession, sessionId: string, id: number, method: string): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>();
  const receive = (event: { readonly sessionId: string; readonly message: string }): void => {
    const { id: answeredId, result } = JSON.parse(event.message) as { readonly id?: number; readonly result?: unknown };
    if (event.sessionId === sessionId && answeredId === id) answered.resolve(result);
  };
  session.on('Target.receivedMessageFromTarget', receive);
  try {
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return await answered.promise;
  } finally {
    session.off('Target.receivedMessageFromTarget', receive);
  }
}
