import type { SeededRandom } from '@phaseline/testing';
import type { CalendarSpec } from '../calendar/calendar-spec.js';
import { parseDay } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { type Link, linkKinds, type Network, type NetworkTask } from './network.js';

/** Zones with a change of the clock in both directions, and a date before each change. */
const seasons = [
  ['Europe/Berlin', '2026-03-26'],
  ['Europe/Berlin', '2026-10-22'],
  ['America/New_York', '2026-03-05'],
  ['America/New_York', '2026-10-29'],
  ['Australia/Lord_Howe', '2026-04-02'],
  ['Australia/Lord_Howe', '2026-10-01'],
  ['Europe/Berlin', '2028-02-27'],
] as const;

/** Hours that include the hours in which clocks change, evenings, and closed days. */
export function generateCalendar(random: SeededRandom): { readonly spec: CalendarSpec; readonly start: number } {
  const [zone, date] = random.pick(seasons);
  const day = parseDay(date);
  const hours = Array.from({ length: 7 }, (_, index) => {
    if (index > 0 && random.chance(0.25)) return [];
    return random.pick([
      [{ from: '18:00', to: '20:00' }],
      [
        { from: '01:00', to: '03:30' },
        { from: '19:00', to: '20:00' },
      ],
      [{ from: '19:00', to: '24:00' }],
    ]);
  });
  const closed = new Date((day + random.between(0, 9)) * 86_400_000).toISOString().slice(0, 10);
  return { spec: { zone, hours, closedDays: [closed], openDays: [] }, start: day * 1440 };
}

/** A network without cycles: links go from earlier to later tasks. `step`: all lengths and lags are multiples of it, in minutes. */
export function generateNetwork(random: SeededRandom, size: number, step = 5): Network {
  const { spec, start } = generateCalendar(random);
  const tasks = Array.from({ length: size }, (_, index): NetworkTask => {
    const minutes = random.chance(0.1) ? 0 : step * random.between(1, 24);
    const earliestStart = random.chance(0.2) ? { earliestStart: start + step * random.between(0, 900) } : {};
    return { id: `t${index}`, minutes, ...earliestStart };
  });
  return { calendar: new WorkingCalendar(spec), start, tasks, links: generateLinks(random, size, step) };
}

/** Links among tasks `t0`, `t1` …, about one per task. */
export function generateLinks(random: SeededRandom, size: number, step: number): readonly Link[] {
  return Array.from({ length: size > 1 ? size : 0 }, (): Link => {
    const to = random.between(1, size - 1);
    return {
      from: `t${random.between(0, to - 1)}`,
      to: `t${to}`,
      kind: random.chance(0.5) ? 'FS' : random.pick(linkKinds),
      lag: random.chance(0.5) ? 0 : step * random.between(-10, 30),
      unit: random.pick(['working', 'elapsed']),
    };
  });
}
