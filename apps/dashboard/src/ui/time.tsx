import { useSyncExternalStore } from 'react';
import { formatDateTime, formatDuration } from './format.js';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

/** One timer for all ages on the page. It stops while none is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the present time in milliseconds, updated once per second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** A point in time as its age, such as `4 min 10 s ago`; the exact time is its tooltip. */
export function Ago({ at, suffix = ' ago' }: { readonly at: string; readonly suffix?: string }) {
  const age = Math.max(0, useNow() - Date.parse(at));
  return (
    <time dateTime={at} title={formatDateTime(at)} className="nowrap">
      {age < 1_000 ? `now` : `${formatDuration(Math.floor(age / 1_000) * 1_000).replace(/\.\d/, '')}${suffix}`}
    </time>
  );
}

/** A point in time as date and time. */
export function DateTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} className="nowrap">
      {formatDateTime(at)}
    </time>
  );
}
