import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

/** Maximum error with which a process knows the time of the log. */
const TIME_TOLERANCE_MS = 2_000;

/** Checks that timers fire according to the clock of the log, regardless of the clocks of the processes. */
export function* checkTimers(remains: RunResult): Iterable<string> {
  for (const { agent, events } of readJobLogs(remains)) {
    const set = new Map<string, number>();
    for (const { event, recorded } of events) {
      if (event.type === 'TimerSet') set.set(event.data.timer, Date.parse(event.data.dueAt));
      if (event.type !== 'TimerFired') continue;
      const dueAt = set.get(event.data.timer);
      const early = dueAt === undefined ? 0 : dueAt - Date.parse(recorded.recordedAt);
      if (early > TIME_TOLERANCE_MS) yield `${agent}: timer ${event.data.timer} fired ${early} ms before it was due`;
    }
  }
}
