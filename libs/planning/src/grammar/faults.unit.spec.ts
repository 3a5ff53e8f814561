import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { outlineFaults, type Fault } from './outline-faults.fixture.js';
import { OutlineTree } from './outline-tree.js';
import { validateOutline } from './outline/validate-outline.js';
import { roadmapFaults } from './roadmap-faults.fixture.js';
import { validateRoadmap } from './roadmap/validate-roadmap.js';
import { scheduleFaults } from './schedule-faults.fixture.js';
import { validateSchedule } from './schedule/validate-schedule.js';
import { applyFix, applySuggestedFixes, type ValidationReport } from './validate-artifact.js';
import { generatePlan, type ValidPlan } from './valid-plan.fixture.js';
import { violationCodes, violationKinds, type ValidatedKind, type ViolationCode } from './violation-kinds.js';
import type { Violation } from './violation.js';

/** Faulty artifacts per kind of violation. */
const SAMPLES = 12;
const MAX_PLANS = 600;

const patterns = readShippedPatterns();
type Report = ValidationReport<object>;
type Validate = (value: unknown, plan: ValidPlan, maxFixes?: number) => Report;

const suites: readonly [ValidatedKind, Partial<Readonly<Record<ViolationCode, Fault<object>>>>, Validate][] = [
  ['outline', outlineFaults, validateOutline],
  ['roadmap', roadmapFaults, validateRoadmap],
  ['schedule', scheduleFaults, validateSchedule],
];

/** Kinds whose remedy is a machine fix, wherever the pattern leaves only one. The others need content. */
const alwaysFixed: Readonly<Record<ValidatedKind, readonly ViolationCode[]>> = {
  outline: [
    'pattern_mirror_differs',
    'node_duplicated',
    'parent_cycle',
    'measure_misplaced',
    'targets_not_rising',
    'estimate_below_parts',
    'recurrence_endless',
    'recurrence_misplaced',
  ],
  roadmap: [
    ...(['pattern_mirror_differs', 'node_uncovered', 'node_repeated', 'entry_unknown', 'entry_level_wrong'] as const),
    ...(['milestone_out_of_phase', 'task_out_of_phase', 'phase_overlap_forbidden', 'dependency_unknown'] as const),
    ...(['dependency_self', 'dependency_of_relatives', 'dependency_repeated', 'option_repeated'] as const),
  ],
  schedule: [
    ...(['task_repeated', 'task_unknown', 'zone_unknown', 'recurrence_missing', 'recurrence_malformed'] as const),
    ...(['recurrence_endless', 'recurrence_misplaced'] as const),
  ],
};
/** Kinds that are fixed only in plans that leave one possibility. */
const sometimesFixed: Readonly<Record<ValidatedKind, readonly ViolationCode[]>> = {
  outline: ['node_unreachable', 'containment_wrong', 'pattern_kind_unknown', 'level1_doubled'],
  roadmap: [],
  schedule: [],
};

function keysOf({ violations }: Report): readonly string[] {
  return violations.map(({ code, node, field }) => `${code} ${node} ${field}`);
}

/** Faulty artifacts of one kind, each with its plan. */
function* seedFaults(fault: Fault<object>, seed: number): Generator<{ plan: ValidPlan; faulty: object }> {
  const random = new SeededRandom(seed);
  let found = 0;
  for (let count = 0; count < MAX_PLANS && found < SAMPLES; count++) {
    const plan = generatePlan(patterns, random);
    const faulty = fault(plan, random);
    if (faulty === undefined) continue;
    found++;
    yield { plan, faulty };
  }
  expect(found).toBe(SAMPLES);
}

function listTaskIds(plan: ValidPlan, artifact: ValidatedKind, value: object): readonly string[] {
  const text = JSON.stringify(value);
  const tasks = new OutlineTree(plan.outline).listTasks().map(({ id }) => id);
  return artifact === 'outline' ? [] : tasks.filter((id) => text.includes(`"${id}"`));
}

function expectFixWorks(violation: Violation, before: Report, validate: (value: unknown) => Report): object {
  if (violation.remedy.kind !== 'fix') throw new Error(`${violation.code} has no fix`);
  const fixed = applyFix(before.artifact!, violation.remedy);
  const [keys, rest] = [[...keysOf(before)], keysOf(validate(fixed))];
  keys.splice(keys.indexOf(`${violation.code} ${violation.node} ${violation.field}`), 1);
  for (const key of rest) {
    expect(keys).toContain(key);
    keys.splice(keys.indexOf(key), 1);
  }
  return fixed;
}

describe.each(suites)('a fault in the %s', (artifact, faults, validate) => {
  it.each(Object.entries(faults))('%s is found, and nothing else', (code, fault) => {
    let fixes = 0;
    for (const { plan, faulty } of seedFaults(fault, code.length)) {
      const report = validate(faulty, plan);
      expect([...new Set(report.violations.map((one) => one.code))]).toEqual([code]);
      expect(report.outcome).toBe('invalid_retryable');
      expect(report.score).toBeLessThan(1);
      const [first] = report.violations as [Violation];
      if (first.remedy.kind === 'fix') {
        fixes++;
        const fixed = expectFixWorks(first, report, (value) => validate(value, plan));
        expect(listTaskIds(plan, artifact, fixed)).toEqual(
          expect.arrayContaining([...listTaskIds(plan, artifact, faulty)]),
        );
      } else {
        expect(first.remedy.text).toContain(first.node ?? first.field.split(/[.,]/)[0]);
      }
    }
    const expected = alwaysFixed[artifact].includes(code as ViolationCode) ? SAMPLES : 0;
    if (!sometimesFixed[artifact].includes(code as ViolationCode)) expect(fixes).toBe(expected);
  });

  it('has a seeder for every kind that can be retried', () => {
    const expected = violationCodes.filter(
      (code) =>
        code !== 'artifact_malformed' &&
        violationKinds[code].severity === 'retryable' &&
        (violationKinds[code].artifacts as readonly string[]).includes(artifact),
    );
    expect(Object.keys(faults).toSorted()).toEqual(expected.toSorted());
  });

  it('keeps every suggested fix sound when several faults come together', async () => {
    const random = new SeededRandom(7);
    let applied = 0;
    for (let count = 0; count < 60; count++) {
      const plan = generatePlan(patterns, random);
      let faulty: object = plan[artifact];
      for (let number = 0; number < 3; number++) {
        const fault = random.pick(Object.values(faults));
        faulty = fault({ ...plan, [artifact]: faulty }, random) ?? faulty;
      }
      const check = (value: unknown, maxFixes?: number): Report => validate(value, plan, maxFixes);
      const report = check(faulty);
      for (const violation of report.violations)
        if (violation.remedy.kind === 'fix') expectFixWorks(violation, report, check);
      const repaired = await applySuggestedFixes(faulty, check);
      expect(repaired.report.violations.filter(({ remedy }) => remedy.kind === 'fix')).toEqual([]);
      expect(repaired.report.violations.length).toBeLessThanOrEqual(report.violations.length);
      applied += repaired.applied.length;
    }
    expect(applied).toBeGreaterThan(20);
  });
});
