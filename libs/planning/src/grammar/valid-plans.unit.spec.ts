import { SeededRandom } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { validateOutline } from './outline/validate-outline.js';
import { validateRoadmap } from './roadmap/validate-roadmap.js';
import { validateSchedule } from './schedule/validate-schedule.js';
import { generatePlan } from './valid-plan.fixture.js';

const PLANS = 1_000;

it(`accepts the outline, roadmap and schedule of ${PLANS} generated plans of all patterns`, () => {
  const patterns = readShippedPatterns();
  const random = new SeededRandom(1);
  const kinds = new Set<string>();
  for (let count = 0; count < PLANS; count++) {
    const plan = generatePlan(patterns, random);
    const reports = [
      validateOutline(plan.outline, plan),
      validateRoadmap(plan.roadmap, plan),
      validateSchedule(plan.schedule, plan),
    ];
    expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
    expect(reports.map(({ outcome, score }) => [outcome, score])).toEqual(Array(3).fill(['valid', 1]));
    kinds.add([plan.selectedPattern.patternType, plan.selectedPattern.subtype].filter(Boolean).join('/'));
  }
  expect(kinds.size).toBe(patterns.reduce((sum, { subtypes }) => sum + 1 + subtypes.length, 0));
});
