import { setTimeout as sleep } from 'node:timers/promises';
import { RunFailed } from './run-failed.js';

export interface CountOptions {
  /** What is counted, for lines of progress, such as `jobs ended`. */
  readonly what: string;
  readonly target: number;
  readonly read: () => Promise<number>;
  readonly note: (line: string) => void;
  /** Time between two reads in milliseconds; default 500. */
  readonly pollMs?: number;
}

const POLL_MS = 500;
const NOTE_MS = 5_000;
/** Time without any change after which a run is given up. Longer than any recovery. */
const STALL_MS = 180_000;

/** Waits until a count reaches its target. Throws `RunFailed` if it does not change for three minutes. */
export async function waitForCount({ what, target, read, note, pollMs = POLL_MS }: CountOptions): Promise<void> {
  let [last, changedAt, notedAt] = [-1, performance.now(), performance.now()];
  for (;;) {
    const count = await read();
    const now = performance.now();
    if (count !== last) [last, changedAt] = [count, now];
    if (count >= target) return;
    if (now - changedAt > STALL_MS)
      throw new RunFailed(`${what}: ${count} of ${target}, without a change for ${STALL_MS / 1_000} s`);
    if (now - notedAt > NOTE_MS) {
      notedAt = now;
      note(`${what}: ${count.toLocaleString('en-US')} of ${target.toLocaleString('en-US')}`);
    }
    await sleep(pollMs);
  }
}
