import type { JsonObject } from '@phaseline/basics';
import { describe, expect, it } from 'vitest';
import { weekdays } from '../artifacts/strategy-profile.js';
import { formatDay, getWeek, getWeekday } from '../calendar/instant.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import type { PlacedTask } from '../schedule/schedule.js';
import { buildScheduleProblem } from '../stage/build-schedule-problem.js';
import { simulateFeedback } from './simulated-plan.fixture.js';

const GOAL = 'Prepare for a half marathon in twelve weeks, three evenings a week';

/** Day of an instant: the plans are in UTC. */
const toDay = (instant: number): number => Math.floor(instant / (24 * 60));

/** Refuses the final plan with words, and schedules the one that follows. */
function refuse(goal: string, words: string) {
  const { context, outline, roadmap, violations, feedback } = simulateFeedback(goal, words);
  const answer = generateSchedule(buildScheduleProblem({ context, outline, roadmap }));
  if (answer.kind !== 'feasible') throw new Error(`no schedule: ${answer.kind}`);
  const { tasks } = answer.schedule;
  const days = tasks.map(({ start }) => toDay(start)).toSorted((one, other) => one - other);
  const sessions = tasks.filter(({ series }) => series !== undefined);
  return {
    ...{ violations, context, tasks, sessions, feedback },
    first: formatDay(days[0]!),
    last: formatDay(days.at(-1)!),
    days: new Set<string>(days.map((day) => weekdays[getWeekday(day) - 1]!)),
  };
}

/** Largest sum of minutes in one week. */
function findFullestWeek(tasks: readonly PlacedTask[]): number {
  const weeks = new Map<number, number>();
  for (const { start, end } of tasks) {
    const week = getWeek(toDay(start));
    weeks.set(week, (weeks.get(week) ?? 0) + end - start);
  }
  return Math.max(...weeks.values());
}

describe('words about the final plan that change its context', () => {
  it('move the start, and keep the duration of the goal', () => {
    const { first, last, violations, feedback } = refuse(GOAL, 'propose changes: start on 1 March');
    expect(violations).toEqual([]);
    expect(feedback).toMatchObject({ start: '2027-03-01', end: '2027-05-23' });
    expect(first >= '2027-03-01' && last <= '2027-05-23').toBe(true);
  });

  it('change the end', () => {
    const { last, violations } = refuse('Organise a street festival by 14 March 2027', 'finish by the end of February');
    expect({ violations, isInTime: last <= '2027-02-28' }).toEqual({ violations: [], isInTime: true });
    const later = refuse('Organise a street festival by 14 March 2027', 'the deadline is 30 April 2027');
    expect(later.context.dates.end).toBe('2027-04-30');
  });

  it('limit the evenings of a week', () => {
    const { sessions, context, violations, days } = refuse(GOAL, 'only two evenings a week');
    expect(violations).toEqual([]);
    expect(new Set(context.calendar.hours.map(({ from }) => from))).toEqual(new Set(['18:00']));
    expect(context.calendar.hours).toHaveLength(2);
    expect(days.size).toBe(2);
    expect(sessions).toHaveLength(24);
  });

  it('limit the hours of a week', () => {
    const { sessions, violations, context } = refuse(
      'Learn Spanish in six months, 5 hours a week',
      'only two hours a week',
    );
    expect({ violations, perWeek: context.capacity.minutesPerWeek }).toEqual({ violations: [], perWeek: 120 });
    expect(findFullestWeek(sessions)).toBeLessThanOrEqual(120);
  });

  it.each<readonly [words: string, closed: readonly string[]]>([
    ['I have no time on Fridays', ['friday']],
    ['propose changes: not on Mondays', ['monday']],
    ["On Wednesdays and Fridays I can't", ['wednesday', 'friday']],
  ])('close weekdays: %s', (words, closed) => {
    const { days, violations, sessions } = refuse(GOAL, words);
    expect(violations).toEqual([]);
    expect(closed.filter((day) => days.has(day))).toEqual([]);
    // There are three evenings in any case.
    expect(sessions.length).toBeGreaterThanOrEqual(34);
  });

  it('close days', () => {
    const { tasks, context } = refuse(GOAL, 'I am away from 7 to 13 December');
    expect(context.calendar.holidays).toHaveLength(7);
    const placed = tasks.map(({ start }) => formatDay(toDay(start)));
    expect(placed.filter((day) => day >= '2026-12-07' && day <= '2026-12-13')).toEqual([]);
  });

  it.each(['shorter sessions, please', 'add a task: buy shoes', 'Looks good but I want more phases'])(
    'are not recorded in the context where they do not change it: %s',
    (words) => {
      const { feedback }: { readonly feedback: JsonObject } = refuse(GOAL, words);
      expect(feedback).toEqual({});
    },
  );
});
