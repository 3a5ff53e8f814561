import type { EventId, JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { extractPatterns } from './extract-patterns.js';
import type { Violation } from './violation.js';

function violate(number: number, changes: Partial<Violation> = {}): Violation {
  return {
    trace: `e${number}` as EventId,
    jobId: `j${number % 2}` as JobId,
    position: 100 + number,
    at: `2030-01-0${number}T00:00:00Z`,
    ...{
      tenant: 'red',
      agent: 'coder',
      source: 'user_correction',
      reason: 'person_refused',
      happened: `call ${number}`,
    },
    ...{ point: 'PermissionRequest', tokens: 100, costMicroUsd: 7 },
    call: { tool: 'run_command', arguments: { program: 'rm', args: [`-r${number}`] } },
    ...changes,
  };
}

const five = [1, 2, 3, 4, 5].map((number) => violate(number));

it('five equal violations are a pattern with its support, times, cost and newest examples, in whatever order they are given', () => {
  const [group, ...others] = extractPatterns(five);
  expect(others).toEqual([]);
  expect(group!.pattern).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    ...{ tenant: 'red', agent: 'coder', reason: 'person_refused', point: 'PermissionRequest', tool: 'run_command' },
    shape: 'args:list program:string',
    proposals: ['change_instructions', 'new_rule'],
    ...{ support: 5, jobs: 2, first: '2030-01-01T00:00:00Z', last: '2030-01-05T00:00:00Z' },
    ...{ tokens: 500, costMicroUsd: 35 },
    examples: [5, 4, 3].map((number) => ({
      trace: `e${number}`,
      jobId: `j${number % 2}`,
      position: 100 + number,
      at: `2030-01-0${number}T00:00:00Z`,
      happened: `call ${number}`,
    })),
  });
  expect(extractPatterns(five.toReversed())).toEqual([group]);
  expect(extractPatterns([...five, violate(6)])[0]!.pattern.id).toBe(group!.pattern.id);
});

it.each([
  ['four violations', {}, false],
  ['another tenant', { tenant: 'blue' }, true],
  ['another agent', { agent: 'tester' }, true],
  ['another reason', { reason: 'person_amended' }, true],
  ['another hook point', { point: 'Stop' }, true],
  ['another tool', { call: { tool: 'write_file', arguments: { program: 'rm', args: [] } } }, true],
  ['another shape of the arguments', { call: { tool: 'run_command', arguments: { program: 'rm' } } }, true],
  ['a guard', { guard: 'g' }, true],
  ['an edited file', { file: 'docs/a.md' }, true],
] as const)('%s: no pattern', (_, changes, hasFifth) => {
  const last = hasFifth ? [violate(5, changes as Partial<Violation>)] : [];
  expect(extractPatterns([...five.slice(0, 4), ...last])).toEqual([]);
});

it.each([
  [
    'denied by a guard',
    { source: 'enforcement_hook', point: 'PreToolUse', guard: 'g' },
    ['stricter_guard', 'change_instructions'],
  ],
  ['denied for its arguments', { source: 'enforcement_hook', point: 'PreToolUse' }, ['change_instructions']],
  ['refused because a guard asked', { guard: 'g' }, ['stricter_guard', 'change_instructions', 'new_rule']],
  ['changed because a guard asked', { guard: 'g', reason: 'person_amended' }, ['change_instructions', 'new_rule']],
  ['a message after a call', { reason: 'person_steered', point: undefined }, ['change_instructions', 'new_rule']],
  ['a refused claim', { source: 'enforcement_hook', point: 'TaskCompleted' }, ['change_instructions', 'new_rule']],
  ['what is no call', { call: undefined }, ['change_instructions']],
  ['what was only noticed', { source: 'auto_detected', point: undefined }, ['change_instructions']],
] as const)('%s allows these proposals', (_, changes, proposals) => {
  const violations = five.map((violation) => ({ ...violation, ...changes }) as Violation);
  expect(extractPatterns(violations)[0]!.pattern.proposals).toEqual(proposals);
});

it.each([
  [['docs/a.md', 'docs/b.md'], 'docs/*.md'],
  [['Makefile', 'LICENSE'], '*'],
  [['.env', '.npmrc'], '*'],
  [['a/b.test.ts', 'a/c.ts'], 'a/*.ts'],
])('edits of the files %j have in common %s', (files, common) => {
  const edits = five.map(({ call: _call, point: _point, ...edit }, index): Violation => ({
    ...{ ...edit, reason: 'person_edited', file: files[index % files.length]! },
  }));
  expect(extractPatterns(edits).map(({ pattern }) => pattern.files)).toEqual([common]);
  expect(extractPatterns([...edits.slice(1), { ...edits[0]!, file: `other/${files[0]!}` }])).toEqual([]);
});
