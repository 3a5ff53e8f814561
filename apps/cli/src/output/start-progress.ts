import type { CommandContext } from '../command/command-context.js';
import { LiveArea } from './live-area.js';

/** Faster work shows no progress. */
const SHOW_AFTER_MS = 2_000;

export interface Progress {
  /** Whether there is a terminal that shows it. */
  readonly isShown: boolean;
  /** Shows how far the work is, in one line, if it takes long enough for a person to wonder. */
  report(line: string): void;
  /** Removes the line. */
  end(): void;
}

/** Starts showing the progress of work, on terminals only. */
export function startProgress({ out, now }: Pick<CommandContext, 'out' | 'now'>): Progress {
  const live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  const startedAt = now();
  return {
    isShown: live !== undefined,
    report: (line) => {
      if (now() - startedAt >= SHOW_AFTER_MS) live?.draw([line]);
    },
    end: () => live?.erase(),
  };
}
