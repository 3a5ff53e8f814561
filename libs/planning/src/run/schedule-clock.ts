import { z } from 'zod';
import { instantSchema } from '../artifacts/fields.js';
import type { Instant } from '../calendar/instant.js';

const MS_PER_MINUTE = 60_000;

/** Fastest clock of a rehearsal: a week passes in about a second. */
const MAX_SPEED = 1_000_000;

/** When a clock of a rehearsal began, what it showed then, and how many of its seconds pass in one. */
export const scheduleClockSchema = z.strictObject({
  at: instantSchema.describe('Real time at which the clock began'),
  shows: instantSchema.describe('What it showed then'),
  speed: z.number().min(1).max(MAX_SPEED).describe('Seconds of the schedule in a real second'),
});
export type ScheduleClockSettings = z.infer<typeof scheduleClockSchema>;

/** The clock by which the tasks of a plan are due. Queues, deadlines of the engine and the log have the real time. */
export interface ScheduleClock {
  /** What the clock shows at a real time. */
  show(real: Date): Instant;
  /** The real time at which it shows `instant`, rounded up to a millisecond. */
  toReal(instant: Instant): Date;
}

/** The clock of a plan that is carried out for real. */
const realTime: ScheduleClock = {
  show: (real) => Math.floor(real.getTime() / MS_PER_MINUTE),
  toReal: (instant) => new Date(instant * MS_PER_MINUTE),
};

/**
 * Returns the clock of a run: the real time, or that of a rehearsal. A rehearsal's clock depends on its settings alone, so that every process that
 * continues the run has the same.
 */
export function createScheduleClock(settings: ScheduleClockSettings | undefined): ScheduleClock {
  if (!settings) return realTime;
  const at = Date.parse(settings.at);
  const shows = Date.parse(settings.shows);
  const { speed } = settings;
  return {
    show: (real) => Math.floor((shows + (real.getTime() - at) * speed) / MS_PER_MINUTE),
    toReal: (instant) => new Date(at + Math.ceil((instant * MS_PER_MINUTE - shows) / speed)),
  };
}
