import type { SeededRandom } from '@phaseline/testing';
import { formatDay, type Instant, parseDay } from '../calendar/instant.js';
import { generateCalendar, generateLinks } from '../network/network.fixture.js';
import { type ScheduleProblem, type ScheduleTask, SLOT_MINUTES } from './schedule-problem.js';

/** Dates on which the clock changes, with hours around the change, and a leap day. */
const coarseStarts = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Europe/Berlin', '2028-02-29'],
] as const;

/** A problem with few quarter hours, so that every schedule of it can be tried, and with dates that often cannot be met; more often with a higher density. */
export function generateSmallProblem(random: SeededRandom, size: number, density = 1): ScheduleProblem {
  const [zone, date] = random.pick(coarseStarts);
  const day = parseDay(date);
  const start = day * 1440 - 660;
  const hours = Array.from({ length: 7 }, () =>
    random.pick([
      [{ from: '01:30', to: '02:30' }],
      [{ from: '19:00', to: '19:45' }],
      [{ from: '19:00', to: '19:30' }],
      [],
    ]),
  );
  hours[new Date(day * 86_400_000).getUTCDay() === 0 ? 6 : 2] = [{ from: '01:45', to: '02:45' }];
  const end = start + 1440 * random.between(2, 3 + size / 4);
  const pickTime = () => start + SLOT_MINUTES * random.between(0, (end - start) / SLOT_MINUTES);
  const tasks = Array.from({ length: size }, (_, index) =>
    generateTask(random, index, pickTime, (2 * density) / (size + 1)),
  );
  const taken = random.chance(0.3) ? [pickTime()].map((at) => ({ start: at, end: at + 300 })) : [];
  const links = generateLinks(random, size, SLOT_MINUTES).slice(0, random.between(0, Math.ceil(size / 2)));
  return {
    calendar: { zone, hours, closedDays: [], openDays: [] },
    window: { start, end },
    tasks,
    series: [],
    links,
    capacity: { minutesPerDay: 15 * random.between(2, 5), minutesPerWeek: 15 * random.between(5, 8 + size) },
    taken,
    profile: {
      distribution: random.pick(['even', 'front_loaded', 'back_loaded']),
      bufferShare: random.chance(0.2) ? 0.2 : 0,
      preferredWeekdays: random.chance(0.3) ? [1, 7] : [],
    },
  };
}

function generateTask(random: SeededRandom, index: number, pickTime: () => Instant, share: number): ScheduleTask {
  return {
    id: `t${index}`,
    minutes: random.pick([10, 15, 15, 15, 15, 15, 30]),
    ...(random.chance(0.4 * share) ? { earliestStart: pickTime() } : {}),
    ...(random.chance(0.4 * share) ? { latestEnd: pickTime() } : {}),
    ...(random.chance(0.15 * share) ? { latestStart: pickTime() } : {}),
    ...(random.chance(0.12 * share) ? { fixedStart: pickTime() } : {}),
    ...(random.chance(0.3) ? { optional: true } : {}),
  };
}

/** A problem of any size, with milestones and a series, most of whose dates can be met. */
export function generateLargeProblem(random: SeededRandom, size: number, days: number): ScheduleProblem {
  const { spec, start } = generateCalendar(random);
  const end = start + days * 1440;
  const tasks = Array.from({ length: size }, (_, index): ScheduleTask => {
    const earliest = start + 60 * random.between(0, days * 12);
    return {
      id: `t${index}`,
      minutes: random.chance(0.05) ? 0 : 5 * random.between(1, 30),
      ...(random.chance(0.1) ? { earliestStart: earliest } : {}),
      ...(random.chance(0.03) ? { latestEnd: earliest + 60 * random.between(0, days * 12) } : {}),
    };
  });
  const firstDay = formatDay(start / 1440 + 1);
  return {
    calendar: spec,
    window: { start, end },
    tasks,
    series: [
      { id: 'course', minutes: 30, recurrence: { rule: 'FREQ=WEEKLY;COUNT=3', firstStart: `${firstDay}T19:15` } },
    ],
    links: generateLinks(random, size, 5),
    capacity: { minutesPerDay: 15 * random.between(4, 12), minutesPerWeek: 15 * random.between(16, 40) },
    taken: [{ start: start + 3 * 1440 + 1100, end: start + 3 * 1440 + 1145 }],
    profile: {
      distribution: random.pick(['even', 'front_loaded', 'back_loaded']),
      bufferShare: random.pick([0, 0.1, 0.3]),
      preferredWeekdays: random.pick([[], [2, 4, 6]]),
    },
  };
}

/** Tasks that compete for one evening: often each pair has room, and no order of all of them. */
export function generateTightProblem(random: SeededRandom, size: number): ScheduleProblem {
  const small = generateSmallProblem(random, size);
  const evening = [{ from: '18:00', to: '20:00' }];
  const start = parseDay('2026-06-01') * 1440 + 18 * 60;
  const tasks = small.tasks.map(({ id }): ScheduleTask => {
    const earliestStart = start + SLOT_MINUTES * random.between(0, 4);
    const minutes = SLOT_MINUTES * random.between(1, 2);
    return { id, minutes, earliestStart, latestEnd: earliestStart + minutes + SLOT_MINUTES * random.between(0, 3) };
  });
  return {
    ...small,
    calendar: { zone: 'UTC', hours: Array.from({ length: 7 }, () => evening), closedDays: [], openDays: [] },
    window: { start, end: start + 2 * 1440 },
    tasks,
    links: small.links.filter(() => random.chance(0.3)),
    capacity: { minutesPerDay: 120, minutesPerWeek: 600 },
    taken: [],
  };
}
