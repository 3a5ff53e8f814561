import { SeededRandom } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { generatePlan, type ValidPlan } from '../grammar/valid-plan.fixture.js';
import { validateSchedule } from '../grammar/schedule/validate-schedule.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import type { PlanContext } from '../artifacts/plan-context.js';
import { weekdays } from '../artifacts/strategy-profile.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { checkProof } from '../schedule/check-proof.js';
import { checkSchedule } from '../schedule/check-schedule.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import { applyRelaxationToPlan } from './apply-relaxation-to-plan.js';
import { buildScheduleProblem } from './build-schedule-problem.js';
import { describeConflict } from './describe-conflict.js';
import { describeRelaxation } from './describe-relaxation.js';
import { toSchedule } from './to-schedule.js';

const PLANS = Number(process.env['PLANNING_SAMPLE'] ?? 90);
const patterns = readShippedPatterns();

/** Working hours and dates of which most plans fit, and some do not. */
function generateContext(random: SeededRandom, context: PlanContext): PlanContext {
  const days = random.pick([weekdays, weekdays.slice(0, 5), weekdays.slice(0, 5)]);
  const spans = random.pick([
    [['08:00', '18:00']],
    [
      ['07:00', '12:00'],
      ['13:00', '21:00'],
    ],
  ]);
  return {
    ...context,
    zone: random.pick(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']),
    calendar: {
      hours: days.flatMap((weekday) => spans.map(([from, to]) => ({ weekday, from: from!, to: to! }))),
      holidays: random.chance(0.5) ? [{ day: '2027-01-07' }, { day: '2027-03-29' }] : [],
    },
    capacity: random.pick([
      { minutesPerDay: 600, minutesPerWeek: 3000 },
      { minutesPerDay: 480, minutesPerWeek: 2400 },
      { minutesPerDay: 300, minutesPerWeek: 900 },
    ]),
    dates: {
      start: random.pick(['2027-01-04', '2027-01-09', '2026-10-20']),
      ...(random.chance(0.8) && { end: random.pick(['2027-12-31', '2028-06-30']) }),
      fixed: [],
    },
    strategy: {
      loading: random.pick(['even', 'front_loaded', 'back_loaded']),
      bufferShare: random.pick([0, 0, 0.2]),
      preferredWeekdays: random.pick([[], ['tuesday', 'thursday']]),
    },
  };
}

function generateDatedPlan(random: SeededRandom): ValidPlan {
  const plan = generatePlan(patterns, random);
  const context = generateContext(random, plan.context);
  // The generator gives recurring tasks up to three hours, of which few fit in a week.
  const isShort = random.chance(0.7);
  const outline = {
    ...plan.outline,
    nodes: plan.outline.nodes.map((node) =>
      isShort && node.time === 'recurring' && node.estimateMinutes !== undefined
        ? { ...node, estimateMinutes: Math.min(node.estimateMinutes, 5 * random.between(2, 6)) }
        : node,
    ),
  };
  const tasks = new OutlineTree(plan.outline).listTasks();
  if (random.chance(0.3))
    context.dates.fixed.push({
      node: random.pick(tasks).id,
      title: 'Exam',
      day: random.pick(['2027-02-01', '2027-02-17']),
    });
  const roadmap = {
    ...plan.roadmap,
    phases: plan.roadmap.phases.map((phase) => ({
      ...phase,
      milestones: phase.milestones.map(({ node }) =>
        random.chance(0.2) ? { node, due: random.pick(['2027-01-29', '2027-06-30']) } : { node },
      ),
    })),
  };
  return { ...plan, context, outline, roadmap, zone: context.zone };
}

it(`makes valid schedules of ${PLANS} generated plans, or proves that there is none`, () => {
  const random = new SeededRandom(5);
  const counts = { feasible: 0, infeasible: 0, undecided: 0, recurring: 0 };
  for (let count = 0; count < PLANS; count++) {
    const plan = generateDatedPlan(random);
    const problem = buildScheduleProblem(plan);
    const answer = generateSchedule(problem);
    counts[answer.kind]++;
    if (answer.kind === 'infeasible')
      expect({ count, isProved: checkProof(problem, answer.proof) }).toEqual({ count, isProved: true });
    if (answer.kind !== 'feasible') continue;
    if (problem.series.length > 0) counts.recurring++;
    expect(checkSchedule(problem, answer.schedule)).toEqual([]);
    const schedule = toSchedule({ ...plan, problem, placed: answer.schedule });
    const { outcome, violations } = validateSchedule(schedule, plan);
    expect({ count, outcome, violations }).toEqual({ count, outcome: 'valid', violations: [] });
    expect(schedule.tasks).toHaveLength(new OutlineTree(plan.outline).listTasks().length);
  }
  expect(counts.feasible).toBeGreaterThan(PLANS / 2);
  expect(counts.infeasible).toBeGreaterThan(PLANS / 10);
  expect(counts.recurring).toBeGreaterThan(PLANS / 4);
});

it('changes infeasible plans so that they have a schedule, and says how', () => {
  const random = new SeededRandom(6);
  const applied = new Set<string>();
  for (let count = 0; count < PLANS; count++) {
    const plan = generateDatedPlan(random);
    const answer = generateSchedule(buildScheduleProblem(plan));
    if (answer.kind !== 'infeasible') continue;
    expect(describeConflict(answer.proof, plan.outline, plan.zone)).toMatch(/^[A-Z“].*\.$/);
    for (const relaxation of answer.relaxations) {
      const changed = applyRelaxationToPlan(relaxation, plan);
      const again = generateSchedule(buildScheduleProblem(changed));
      expect({ count, relaxation, kind: again.kind }).toEqual({ count, relaxation, kind: 'feasible' });
      expect(describeRelaxation(relaxation, plan.outline)).toMatch(/^[A-Z].*[^.]\.$/);
      applied.add(relaxation.kind);
    }
  }
  expect(applied.size).toBeGreaterThanOrEqual(4);
});
