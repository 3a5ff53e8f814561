import type { CopyProgress } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { LiveArea } from '../output/live-area.js';
import { formatBytes } from '../output/quantities.js';

/** Faster copies show no progress. */
const SHOW_PROGRESS_AFTER_MS = 2_000;
const REDRAW_INTERVAL_MS = 250;
/** Interval with `--json`, where a record cannot replace the one before. */
const RECORD_INTERVAL_MS = 5_000;

/** Shows the progress of a copy that takes longer than two seconds: a line on a terminal, records with `--json`. */
export function createCopyProgress({ out, now }: CommandContext): {
  readonly show: (progress: CopyProgress) => void;
  readonly erase: () => void;
} {
  const live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  const startedAt = now();
  let shownAt = startedAt;
  return {
    show: ({ table, number, tables, bytes: size }) => {
      const intervalMs = out.isStructured ? RECORD_INTERVAL_MS : REDRAW_INTERVAL_MS;
      if (now() - startedAt < SHOW_PROGRESS_AFTER_MS || now() - shownAt < intervalMs) return;
      shownAt = now();
      if (out.isStructured) out.writeRecord({ kind: 'progress', table, number, tables, bytes: size });
      else live?.draw([`${table} (table ${number} of ${tables}), ${formatBytes(size)}`]);
    },
    erase: () => live?.erase(),
  };
}
