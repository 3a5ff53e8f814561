import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import type { OutlineNode } from '../artifacts/plan-outline.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { applyPatch } from './json-patch.js';
import { validateOutline } from './outline/validate-outline.js';
import { endRecurrenceOn, findRecurrenceProblem, hasRecurrenceEnd } from './recurrence-rule.js';
import { validateRoadmap } from './roadmap/validate-roadmap.js';
import { isTimeZone } from './schedule/check-placements.js';
import { validateSchedule } from './schedule/validate-schedule.js';
import { applySuggestedFixes } from './validate-artifact.js';
import { generatePlan } from './valid-plan.fixture.js';
import { toValidatorResult } from './validator-result.js';
import { violationSchema } from './violation.js';
import { computeValidatorScore, violationCodes, violationKinds } from './violation-kinds.js';

const plan = generatePlan(readShippedPatterns(), new SeededRandom(3));

describe('a fatal violation', () => {
  it('is reported when the pattern is unknown, in the outline and the roadmap', () => {
    const check = { ...plan, grammar: undefined };
    for (const report of [validateOutline(plan.outline, check), validateRoadmap(plan.roadmap, check)]) {
      expect(report.outcome).toBe('invalid_fatal');
      expect(report.violations.map(({ code, severity }) => [code, severity])).toEqual([['pattern_unknown', 'fatal']]);
    }
  });

  it('is reported when the plan ends before it starts, and asks the person', () => {
    const context = { ...plan.context, dates: { start: '2027-02-01', end: '2027-01-01', fixed: [] } };
    const { outcome, violations } = validateOutline(plan.outline, { ...plan, context });
    expect(outcome).toBe('invalid_fatal');
    expect(violations.map(({ code }) => code)).toEqual(['dates_contradict']);
    expect(violations[0]!.remedy).toEqual({
      kind: 'instruction',
      text: 'Ask the person for the first and the last day of the plan (dates.start and dates.end).',
    });
  });
});

describe('a malformed artifact', () => {
  it('names the field, scores 0, and can be retried', () => {
    const reports = [
      validateOutline({ ...plan.outline, nodes: [{ id: 'a' }] }, plan),
      validateRoadmap({ ...plan.roadmap, extra: 1 }, plan),
      validateSchedule(null, plan),
    ];
    expect(reports.map(({ outcome, score }) => [outcome, score])).toEqual(Array(3).fill(['invalid_retryable', 0]));
    expect(reports.map(({ violations }) => violations[0]!.field)).toEqual(['nodes.0.parent', 'roadmap', 'schedule']);
    expect(new Set(reports.flatMap(({ violations }) => violations.map(({ code }) => code)))).toEqual(
      new Set(['artifact_malformed']),
    );
  });
});

describe('fixes of repeated ids', () => {
  it('give a different task an id of its own, so that no task is lost', () => {
    const task = plan.outline.nodes.find((node) => node.estimateMinutes !== undefined && node.level === 'L3')!;
    const other: OutlineNode = { ...task, title: 'Something else' };
    const { violations } = validateOutline({ ...plan.outline, nodes: [...plan.outline.nodes, other] }, plan);
    const path = `/nodes/${plan.outline.nodes.length}/id`;
    expect(violations.map(({ code, remedy }) => [code, remedy])).toEqual([
      [
        'node_duplicated',
        {
          kind: 'fix',
          description: `Rename the second node with the id ${task.id}.`,
          operations: [{ op: 'replace', path, value: `${task.id}-2` }],
        },
      ],
    ]);
  });
});

describe('the result of GrammarValidator', () => {
  it('lists violations, the score, and the proven fixes', () => {
    const outline = {
      ...plan.outline,
      contextHash: 'f'.repeat(64),
      pattern: { ...plan.outline.pattern, variant: 'X' },
    };
    const report = validateOutline(outline, plan);
    expect(toValidatorResult(report)).toEqual({
      ...{ valid: false, violations: report.violations, confidence: report.score },
      suggestedFixes: [
        { code: 'pattern_mirror_differs', node: null, field: 'pattern', fix: report.violations[1]!.remedy },
      ],
    });
    expect(toValidatorResult(validateOutline(plan.outline, plan))).toEqual({
      ...{ valid: true, violations: [], confidence: 1, suggestedFixes: [] },
    });
    expect(report.violations.map((violation) => violationSchema.parse(violation))).toEqual(report.violations);
  });
});

describe('a plan with two hundred faults', () => {
  const task = plan.outline.nodes.find((node) => node.estimateMinutes !== undefined && node.level === 'L3')!;
  const copies = Array.from({ length: 200 }, (_, index): OutlineNode => ({ ...task, id: `copy-${index}` }));
  const faulty = {
    ...plan.outline,
    nodes: [...plan.outline.nodes, ...copies, ...copies.map((node) => ({ ...node, title: 'Other' }))],
  };

  it('gets ten fixes, and instructions for the others', () => {
    const { violations } = validateOutline(faulty, plan);
    expect(violations.map(({ remedy }) => remedy.kind)).toEqual([
      ...Array(10).fill('fix'),
      ...Array(190).fill('instruction'),
    ]);
  });

  it('is repaired twenty fixes at a time', async () => {
    const { report, applied } = await applySuggestedFixes(faulty, (value, max) => validateOutline(value, plan, max));
    expect([applied.length, report.violations.length, report.outcome]).toEqual([20, 180, 'invalid_retryable']);
  });
});

describe('the validator score', () => {
  it('is 1 minus the weighted share of violated rules', () => {
    const applied = violationCodes.filter((code) =>
      (violationKinds[code].artifacts as readonly string[]).includes('schedule'),
    );
    const total = applied.reduce((sum, code) => sum + violationKinds[code].weight, 0);
    expect(computeValidatorScore('schedule', new Set())).toBe(1);
    expect(computeValidatorScore('schedule', new Set(['zone_unknown', 'task_unplaced']))).toBeCloseTo(1 - 5 / total);
    expect(computeValidatorScore('schedule', new Set(applied))).toBe(0);
  });

  it('is over at least 25 kinds of violations', () => {
    expect(violationCodes.length).toBe(49);
  });
});

describe('a recurrence rule', () => {
  it.each([
    ['FREQ=DAILY', undefined],
    ['FREQ=MONTHLY;BYDAY=-1FR,2MO;COUNT=3', undefined],
    ['FREQ=HOURLY', "FREQ cannot be 'HOURLY'"],
    ['COUNT=3', 'FREQ is missing; expected one of DAILY, WEEKLY, MONTHLY, YEARLY'],
    ['FREQ=DAILY;COUNT=0', "COUNT cannot be '0'"],
    ['FREQ=DAILY;COUNT=1;UNTIL=20270101', 'COUNT and UNTIL exclude each other'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ occurs more than once'],
    ['FREQ=DAILY;', 'an empty part is no part of a rule'],
    ['FREQ=DAILY;toString=1', 'toString is no part of a rule'],
  ])('%s', (rule, problem) => {
    if (problem === undefined) expect(findRecurrenceProblem(rule)).toBeUndefined();
    else expect(findRecurrenceProblem(rule)).toContain(problem);
  });

  it('ends by COUNT or UNTIL', () => {
    expect(['FREQ=DAILY;COUNT=2', 'UNTIL=20270101;FREQ=DAILY', 'FREQ=DAILY'].map(hasRecurrenceEnd)).toEqual([
      ...[true, true, false],
    ]);
    expect(endRecurrenceOn('FREQ=DAILY', '2027-03-31')).toBe('FREQ=DAILY;UNTIL=20270331T235959Z');
  });
});

it('knows time zones by name, and no offsets', () => {
  expect(['Europe/Berlin', 'UTC', '+02:00', 'Mars/Base', ''].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe('a patch', () => {
  it('adds, replaces and removes without changing the given document', () => {
    const document = { list: [1, 2], inner: { name: 'a' } };
    const patched = applyPatch(document, [
      { op: 'add', path: '/list/-', value: 3 },
      { op: 'remove', path: '/list/0' },
      { op: 'replace', path: '/inner/name', value: 'b' },
      { op: 'add', path: '/inner/more', value: null },
    ]);
    expect(patched).toEqual({ list: [2, 3], inner: { name: 'b', more: null } });
    expect(document).toEqual({ list: [1, 2], inner: { name: 'a' } });
  });

  it.each(['/list/2', '/inner/other', '/inner/name/deeper', '/list/x'])('refuses to replace %s', (path) => {
    const document = { list: [1, 2], inner: { name: 'a' } };
    expect(() => applyPatch(document, [{ op: 'replace', path, value: 1 }])).toThrow(`cannot replace ${path}`);
  });
});
