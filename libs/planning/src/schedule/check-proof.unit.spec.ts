import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { parseInstant } from '../calendar/instant.js';
import type { Link } from '../network/network.js';
import { checkProof } from './check-proof.js';
import { hasSchedule } from './exhaustive-search.fixture.js';
import { generateSchedule } from './generate-schedule.js';
import { generateSmallProblem, generateTightProblem } from './problem.fixture.js';
import type { Proof } from './schedule.js';
import type { ScheduleProblem, ScheduleTask } from './schedule-problem.js';

const evening = [{ from: '18:00', to: '20:00' }];
const at = (text: string) => parseInstant(`2026-06-${text}:00Z`);
const link = (from: string, to: string, more: Partial<Link> = {}): Link => ({
  from,
  to,
  kind: 'FS',
  lag: 0,
  unit: 'working',
  ...more,
});
/** Two hours each evening from Monday, 2026-06-01, to Friday. */
const build = (
  tasks: readonly ScheduleTask[],
  links: readonly Link[] = [],
  more: Partial<ScheduleProblem> = {},
): ScheduleProblem => ({
  calendar: { zone: 'UTC', hours: [evening, evening, evening, evening, evening, [], []], closedDays: [], openDays: [] },
  window: { start: at('01T00:00'), end: at('06T00:00') },
  tasks,
  series: [],
  links,
  capacity: { minutesPerDay: 90, minutesPerWeek: 300 },
  taken: [],
  profile: { distribution: 'front_loaded', bufferShare: 0, preferredWeekdays: [] },
  ...more,
});
const prove = (problem: ScheduleProblem): Proof => {
  const answer = generateSchedule(problem);
  if (answer.kind !== 'infeasible') throw new Error(`The problem is ${answer.kind}.`);
  return answer.proof;
};

/** Two tasks that each fit first and never second: what fits first pushes the other past its date. */
const orders = build([
  { id: 'a', minutes: 15, earliestStart: at('01T18:15'), latestEnd: at('01T18:45') },
  { id: 'b', minutes: 60, earliestStart: at('01T18:00'), latestEnd: at('01T19:15') },
  { id: 'c', minutes: 30 },
]);

describe('checkProof', () => {
  it.each<[string, ScheduleProblem, Proof]>([
    [
      'a cycle',
      build(
        [
          { id: 'a', minutes: 15 },
          { id: 'b', minutes: 15 },
          { id: 'c', minutes: 15 },
        ],
        [link('a', 'b'), link('b', 'a'), link('b', 'c')],
      ),
      {
        conflict: ['b', 'a'],
        argument: { kind: 'cycle', cycle: ['b', 'a'] },
      },
    ],
    [
      'an appointment in closed time',
      build([
        { id: 'a', minutes: 60, fixedStart: at('02T19:30') },
        { id: 'b', minutes: 15 },
      ]),
      {
        conflict: ['a'],
        argument: { kind: 'fixed_dates', reason: 'closed' },
      },
    ],
    [
      'an appointment in taken time',
      build([{ id: 'a', minutes: 60, fixedStart: at('02T18:30') }], [], {
        taken: [{ start: at('02T19:15'), end: at('02T19:20') }],
      }),
      {
        conflict: ['a'],
        argument: { kind: 'fixed_dates', reason: 'taken' },
      },
    ],
    [
      'appointments that overlap',
      build([
        { id: 'a', minutes: 60, fixedStart: at('02T18:30') },
        { id: 'b', minutes: 30, fixedStart: at('02T19:00') },
      ]),
      {
        conflict: ['a', 'b'],
        argument: { kind: 'fixed_dates', reason: 'overlap' },
      },
    ],
    [
      'appointments that fill a day',
      build([
        { id: 'a', minutes: 60, fixedStart: at('02T18:00') },
        { id: 'b', minutes: 45, fixedStart: at('02T19:00') },
      ]),
      {
        conflict: ['a', 'b'],
        argument: { kind: 'fixed_dates', reason: 'day' },
      },
    ],
    [
      'a chain that is too long',
      build(
        [
          { id: 'a', minutes: 90 },
          { id: 'b', minutes: 30, latestEnd: at('03T18:00') },
        ],
        [link('a', 'b', { lag: 2880, unit: 'elapsed' })],
      ),
      {
        conflict: ['a', 'b'],
        argument: { kind: 'chain', late: 'b' },
      },
    ],
    [
      'more work than a week has',
      build([
        { id: 'a', minutes: 200 },
        { id: 'b', minutes: 110 },
        { id: 'm', minutes: 0 },
      ]),
      {
        conflict: ['a', 'b'],
        argument: { kind: 'work', tasks: ['a', 'b'], from: at('01T18:00'), to: at('05T20:00') },
      },
    ],
    [
      'two tasks that fit in no order',
      orders,
      {
        conflict: ['a', 'b'],
        argument: {
          kind: 'every_order',
          refuted: [
            { order: ['b'], late: 'a' },
            { order: ['a'], late: 'b' },
          ],
        },
      },
    ],
  ])('accepts the proof of %s', (_name, problem, expected) => {
    const proof = prove(problem);
    expect(proof).toEqual(expected);
    expect(checkProof(problem, proof)).toBe(true);
  });

  it('refuses a proof by orders that leaves one out or names a task that is in time', () => {
    const proof = prove(orders);
    if (proof.argument.kind !== 'every_order') throw new Error('The proof is by another argument.');
    const { refuted } = proof.argument;
    const change = (changed: typeof refuted): Proof => ({
      ...proof,
      argument: { kind: 'every_order', refuted: changed },
    });
    expect(refuted).toHaveLength(2);
    for (const [index] of refuted.entries())
      expect(checkProof(orders, change(refuted.toSpliced(index, 1)))).toBe(false);
    expect(checkProof(orders, change([{ order: [], late: 'a' }]))).toBe(false);
    expect(checkProof(orders, change([{ order: [], late: 'c' }]))).toBe(false);
    expect(checkProof(orders, { ...proof, conflict: ['a', 'b', 'nobody'] })).toBe(false);
    expect(checkProof(orders, { ...proof, conflict: [] })).toBe(false);
  });

  it('refuses a proof by work that fits exactly, or that could be done outside of the time it names', () => {
    const [from, to] = [at('01T18:00'), at('05T20:00')];
    const check = (minutes: number, argument: Partial<Extract<Proof['argument'], { kind: 'work' }>>) =>
      checkProof(
        build([
          { id: 'a', minutes: 210 },
          { id: 'b', minutes },
        ]),
        {
          conflict: ['a', 'b'],
          argument: { kind: 'work', tasks: ['a', 'b'], from, to, ...argument },
        },
      );
    expect(check(91, {})).toBe(true);
    expect(check(90, {})).toBe(false);
    expect(check(91, { from: from + 15 })).toBe(false);
    expect(check(91, { to: to - 15 })).toBe(false);
    expect(check(91, { tasks: ['a'] })).toBe(false);
    expect(check(91, { tasks: ['a', 'b', 'b'] })).toBe(false);
    expect(check(91, { tasks: ['a', 'c'] })).toBe(false);
  });

  it('refuses a chain that is in time, and a cycle that is none', () => {
    const problem = build(
      [
        { id: 'a', minutes: 90 },
        { id: 'b', minutes: 30, latestEnd: at('01T20:00') },
      ],
      [link('a', 'b')],
    );
    expect(checkProof(problem, { conflict: ['a', 'b'], argument: { kind: 'chain', late: 'b' } })).toBe(false);
    const late = { ...problem, links: [link('a', 'b', { lag: 15 })] };
    expect(checkProof(late, { conflict: ['a', 'b'], argument: { kind: 'chain', late: 'b' } })).toBe(true);
    expect(checkProof(late, { conflict: ['a', 'b'], argument: { kind: 'chain', late: 'a' } })).toBe(false);
    expect(checkProof(late, { conflict: ['a', 'b'], argument: { kind: 'cycle', cycle: ['a', 'b'] } })).toBe(false);
    expect(checkProof(late, { conflict: ['a', 'b'], argument: { kind: 'cycle', cycle: [] } })).toBe(false);
  });

  it('refuses, for a problem that has a schedule, the proof of one that has none', () => {
    const random = new SeededRandom(31);
    let refusals = 0;
    for (let round = 0; round < 150; round++) {
      const problem =
        round % 2
          ? generateSmallProblem(random, random.between(2, 6), 2)
          : generateTightProblem(random, random.between(2, 5));
      const answer = generateSchedule(problem);
      if (answer.kind !== 'infeasible') continue;
      const { proof } = answer;
      // The conflict is irreducible, so that without any one of its tasks no argument may be accepted.
      for (const id of proof.conflict) {
        const shorter = { ...proof, conflict: proof.conflict.filter((other) => other !== id) };
        expect({ problem, shorter, isAccepted: checkProof(problem, shorter) }).toMatchObject({ isAccepted: false });
        refusals++;
      }
      for (const argument of mutateArguments(proof)) {
        const mutated = { ...proof, argument };
        const part = {
          ...problem,
          tasks: problem.tasks.filter((task) => !proof.conflict.includes(task.id) || random.chance(0.5)),
        };
        const known = new Set(part.tasks.map((task) => task.id));
        const rest = { ...part, links: part.links.filter(({ from, to }) => known.has(from) && known.has(to)) };
        // Whatever an argument says: if the problem has a schedule, it is refused.
        if (!hasSchedule(rest)) continue;
        const conflict = proof.conflict.filter((id) => known.has(id));
        expect(checkProof(rest, { ...mutated, conflict })).toBe(false);
        refusals++;
      }
    }
    expect(refusals).toBeGreaterThan(100);
  });
});

/** Every kind of argument, about the tasks of a proof. */
function mutateArguments({ conflict, argument }: Proof): readonly Proof['argument'][] {
  return [
    argument,
    { kind: 'cycle', cycle: conflict },
    { kind: 'chain', late: conflict[0]! },
    { kind: 'work', tasks: conflict, from: 0, to: 30_000_000 },
    { kind: 'every_order', refuted: conflict.map((late) => ({ order: [], late })) },
    { kind: 'fixed_dates', reason: 'overlap' },
  ];
}
