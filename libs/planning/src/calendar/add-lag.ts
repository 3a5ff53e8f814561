import { assertNever } from '@phaseline/basics';
import type { Instant } from './instant.js';
import type { WorkingCalendar } from './working-calendar.js';

/** How a lag is counted: in open time only, or by the clock. */
export type LagUnit = 'working' | 'elapsed';

/** The instant that lies a lag after another; a negative lag (a lead) lies before it. The result may be closed. */
export function addLag(calendar: WorkingCalendar, instant: Instant, lag: number, unit: LagUnit): Instant {
  switch (unit) {
    case 'working':
      return lag < 0 ? calendar.subtractWorkingMinutes(instant, -lag) : calendar.addWorkingMinutes(instant, lag);
    case 'elapsed':
      return instant + lag;
    default:
      return assertNever(unit);
  }
}

/** The latest instant from which a lag reaches no further than `limit`, which is open or the end of work. */
export function removeLag(calendar: WorkingCalendar, limit: Instant, lag: number, unit: LagUnit): Instant {
  switch (unit) {
    case 'working':
      // After a lead has been added, closed time that follows does not count: work may end on either side of it.
      return lag < 0
        ? calendar.nextOpen(calendar.addWorkingMinutes(limit, -lag))
        : calendar.subtractWorkingMinutes(limit, lag);
    case 'elapsed':
      return limit - lag;
    default:
      return assertNever(unit);
  }
}
