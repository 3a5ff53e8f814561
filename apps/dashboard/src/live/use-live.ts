import type { LiveEvent } from '@phaseline/client';
import { useEffect, useSyncExternalStore } from 'react';
import { queryClient } from '../api/query-client.js';
import { getLiveConnection } from './live-connection.js';
import { Throttle } from './throttle.js';

/** Shortest time between two requests for the same list or job because of hints. */
const REFRESH_MS = 1_500;

/**
 * Requests again what hints of the live channel are about, while the page is open. Used once, by the frame of the pages. The server refuses the
 * channel to callers that may read no job, so nothing connects for them.
 */
export function useLive(canRead: boolean): void {
  useEffect(() => {
    if (!canRead) return undefined;
    const throttle = new Throttle(REFRESH_MS);
    const stop = getLiveConnection().subscribe((event) => handleEvent(event, throttle));
    return () => {
      stop();
      throttle.stop();
    };
  }, [canRead]);
}

/** Returns whether changes arrive as they happen. */
export function useLiveStatus(): 'connecting' | 'live' | 'ended' {
  const connection = getLiveConnection();
  return useSyncExternalStore(
    (listener) => connection.subscribeStatus(listener),
    () => connection.status,
  );
}

function handleEvent(event: LiveEvent, throttle: Throttle): void {
  if (event.type === 'resynchronise') void queryClient.invalidateQueries({ predicate: isChangeable });
  if (event.type === 'inbox') throttle.run('inbox', () => invalidate('inbox'));
  if (event.type !== 'jobs') return;
  throttle.run('jobs', () => invalidate('jobs'));
  for (const jobId of event.jobIds) throttle.run(jobId, () => invalidate('job', jobId));
}

function invalidate(...queryKey: readonly string[]): void {
  void queryClient.invalidateQueries({ queryKey, predicate: isChangeable });
}

/** Data that can never change, such as the state at a position of the log, say so in their `meta`. */
function isChangeable({ meta }: { readonly meta?: Readonly<Record<string, unknown>> | undefined }): boolean {
  return meta?.['isFinal'] !== true;
}
