import { verifyLog } from '@phaseline/audit';
import type { createPool } from '@phaseline/event-store';
import { RunFailed } from './run-failed.js';

/** What was recomputed, without a difference. */
export interface CheckedLog {
  readonly events: number;
  readonly streams: number;
  readonly files: number;
}

const NOTE_MS = 5_000;

/** Recomputes every hash of the log and of the files that it names. Throws `RunFailed` with the first problem. */
export async function checkLog(pool: ReturnType<typeof createPool>, note: (line: string) => void): Promise<CheckedLog> {
  let notedAt = performance.now();
  const { passed, events, streams, files, problems, problemCount } = await verifyLog(pool, {
    signal: new AbortController().signal,
    onProgress: (done, total) => {
      if (performance.now() - notedAt < NOTE_MS) return;
      notedAt = performance.now();
      note(`events verified: ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`);
    },
  });
  if (!passed) throw new RunFailed(`the log has ${problemCount} problems; the first: ${problems[0]?.detail}`);
  return { events, streams, files: files ?? 0 };
}
