import { describe, expect, it } from 'vitest';
import { generateGoals, writtenGoals } from './goals.fixture.js';
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
});
