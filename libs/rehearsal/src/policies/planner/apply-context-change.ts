import { z } from 'zod';
import { contextSchema, type PlanContext } from './session.js';

const changeSchema = z.object({
  zone: z.string().optional(),
  start: z.string().optional(),
  end: z.string().optional(),
  hours: contextSchema.shape.calendar.shape.hours.optional(),
  holidays: z.array(z.object({ day: z.string() })).optional(),
  minutes_per_day: z.number().optional(),
  minutes_per_week: z.number().optional(),
  buffer_share: z.number().optional(),
});

/** The context after a call that recorded a change: the prompt of the phase still shows the one before it. */
export function applyContextChange(context: PlanContext, args: unknown): PlanContext {
  const change = changeSchema.safeParse(args).data ?? {};
  const { calendar, capacity, dates, strategy } = context;
  const end = change.end ?? dates.end;
  return {
    ...context,
    zone: change.zone ?? context.zone,
    calendar: { hours: change.hours ?? calendar.hours, holidays: change.holidays ?? calendar.holidays },
    capacity: {
      minutesPerDay: change.minutes_per_day ?? capacity.minutesPerDay,
      minutesPerWeek: change.minutes_per_week ?? capacity.minutesPerWeek,
    },
    dates: { start: change.start ?? dates.start, ...(end !== undefined && { end }) },
    strategy: { bufferShare: change.buffer_share ?? strategy.bufferShare },
  };
}

/** What a context has of the arguments that can change it, as JSON. */
export function readContextChange(context: PlanContext): Readonly<Record<string, string | undefined>> {
  const { zone, calendar, capacity, dates, strategy } = context;
  const values = {
    zone,
    ...dates,
    hours: calendar.hours,
    minutes_per_day: capacity.minutesPerDay,
    minutes_per_week: capacity.minutesPerWeek,
    buffer_share: strategy.bufferShare,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
}
