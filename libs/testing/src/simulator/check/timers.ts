import type { Remains } from '../run/world.js';
import { jobLogs } from './streams.js';

/** As well as a process can know the time of the log. */
const KNOWN_WITHIN_MS = 2_000;

/** A timer is set and fires by one clock, that of the log, whatever the clocks of the processes say. */
export function* timersInTime(remains: Remains): Iterable<string> {
  for (const { agent, told } of jobLogs(remains)) {
    const set = new Map<string, number>();
    for (const { event, recorded } of told) {
      if (event.type === 'TimerSet') set.set(event.data.timer, Date.parse(event.data.dueAt));
      if (event.type !== 'TimerFired') continue;
      const dueAt = set.get(event.data.timer);
      const early = dueAt === undefined ? 0 : dueAt - Date.parse(recorded.recordedAt);
      if (early > KNOWN_WITHIN_MS) yield `${agent}: timer ${event.data.timer} fired ${early} ms before it was due`;
    }
  }
}
