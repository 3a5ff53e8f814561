import type { CopyProgress } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { LiveArea } from '../output/live-area.js';
import { bytes } from '../output/quantities.js';

/** What is done sooner needs no line. */
const SHOW_AFTER_MS = 2_000;
const EVERY_MS = 250;
/** With `--json`, where nothing can be drawn over. */
const RECORD_EVERY_MS = 5_000;

/** Shows how far a copy has come, on anything that takes longer than two seconds: a line on a terminal, records with `--json`. */
export function copyLine({ out, now }: CommandContext): {
  readonly show: (progress: CopyProgress) => void;
  readonly erase: () => void;
} {
  const live = out.isTerminal && !out.json ? new LiveArea(out) : undefined;
  const began = now();
  let shown = began;
  return {
    show: ({ table, number, tables, bytes: size }) => {
      if (now() - began < SHOW_AFTER_MS || now() - shown < (out.json ? RECORD_EVERY_MS : EVERY_MS)) return;
      shown = now();
      if (out.json) out.record({ kind: 'progress', table, number, tables, bytes: size });
      else live?.draw([`${table} (table ${number} of ${tables}), ${bytes(size)}`]);
    },
    erase: () => live?.erase(),
  };
}
