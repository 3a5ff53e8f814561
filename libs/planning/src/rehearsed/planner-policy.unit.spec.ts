import { describe, expect, it } from 'vitest';
import { generateGoals, writtenGoals } from './goals.fixture.js';
import { scheduleRehearsedPlan } from './schedule-of-plan.fixture.js';
import { simulatePlan } from './simulated-plan.fixture.js';

const describeViolations = (goal: string): readonly string[] =>
  simulatePlan(goal).violations.map(({ code, message }) => `${goal.slice(0, 60)}: ${code}: ${message}`);

describe('the rehearsed planner', () => {
  it.each(writtenGoals.filter(([, ...expected]) => expected.length > 0))(
    'selects a pattern that fits: %s',
    (goal, ...expected) => {
      expect(expected).toContain(simulatePlan(goal).selection.pattern.patternType);
    },
  );

  it('plans every written goal without a violation', () => {
    expect(writtenGoals.length).toBeGreaterThan(40);
    expect(writtenGoals.flatMap(([goal]) => describeViolations(goal))).toEqual([]);
  });

  it('plans every generated goal without a violation', () => {
    expect(generateGoals(7, 200).flatMap(describeViolations)).toEqual([]);
  });

  it('plans what can be scheduled, and leaves what cannot be done as it is', () => {
    const impossible = writtenGoals.filter(([goal]) => scheduleRehearsedPlan(simulatePlan(goal)).kind !== 'feasible');
    expect(impossible.map(([goal]) => goal)).toEqual([
      'Write a 400 page book in 3 days with 1 hour a day',
      'Do it in 1 day, every Monday, 10 minutes a day',
    ]);
  });

  it('plans every generated goal so that it can be scheduled, but those with too little time', () => {
    const goals = generateGoals(7, 150);
    const impossible = goals.filter((goal) => scheduleRehearsedPlan(simulatePlan(goal)).kind !== 'feasible');
    expect(impossible).toEqual([
      'Set up a home office in 9 days every other Wednesday, 20 minutes a day',
      // 30 hours of work in ten hours, and in four.
      'Solve 120 problems in 9 days from Monday to Thursday, two hours a day',
      'Learn 900 words in 9 days every other Wednesday, 90-minute sessions',
    ]);
  });
});
