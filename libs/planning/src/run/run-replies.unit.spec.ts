import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../calendar/instant.js';
import { schedulePlan } from '../export/export.fixture.js';
import { buildNode, buildPlan } from '../stage/stage.fixture.js';
import { describeItem, describeRunWait } from './describe-run.js';
import { readRunReply } from './follow-run-reply.js';
import { listPlannedItems } from './planned-items.js';
import { createScheduleClock } from './schedule-clock.js';

const plan = schedulePlan(
  buildPlan([
    buildNode('p'),
    buildNode('p.-.a'),
    buildNode('p.-.b'),
    buildNode('p.-.c', { agent: 'writer', endCriterion: 'It is read.' }),
  ]),
);
const [a, b, c] = listPlannedItems(plan);
const running = [a!, b!];
const failed = [c!];

describe('a reply to a plan that is carried out', () => {
  it.each([
    ['done p.-.a', { kind: 'end', status: 'done', item: { id: 'p.-.a' } }],
    [' Done TITLE OF p.-.b ', { kind: 'end', status: 'done', item: { id: 'p.-.b' } }],
    ['skip p.-.c', { kind: 'end', status: 'skipped', item: { id: 'p.-.c' } }],
    ['retry', { kind: 'retry', item: { id: 'p.-.c' } }],
    ['re-plan: It rains.\nAll week.', { kind: 'replan', why: 'It rains.\nAll week.' }],
    ['replan', { kind: 'replan', why: 'The person wants another plan.' }],
    ['Stop.', { kind: 'stop' }],
    ['done', { kind: 'unclear', message: 'Say which task: p.-.a, p.-.b.' }],
    ['done p.-.c', { kind: 'unclear', message: 'There is no task p.-.c for "done". There are: p.-.a, p.-.b.' }],
    ['well done', { kind: 'unclear', message: '"well done" was not understood.' }],
  ])('%j', (text, expected) => expect(readRunReply(text, { running, failed })).toMatchObject(expected));

  it('needs no task if there is only one, and says when there is none', () => {
    expect(readRunReply('done', { running: [a!], failed: [] })).toMatchObject({ kind: 'end', item: { id: 'p.-.a' } });
    expect(readRunReply('done', { running: [], failed: [] })).toMatchObject({
      kind: 'unclear',
      message: 'There is no task for "done" now.',
    });
  });
});

it('says what is to be done, what failed, what is next and what can be replied', () => {
  expect(describeRunWait({ kind: 'wait', running, failed, next: c! }, 'Not understood.')).toBe(
    [
      'Not understood.',
      'Now to be done:',
      '- p.-.a (Title of p.-.a), until 2027-01-04 10:00',
      '- p.-.b (Title of p.-.b), until 2027-01-04 11:00',
      'Not done, because the agent failed:',
      '- p.-.c (Title of p.-.c), writer',
      'Next: p.-.c (Title of p.-.c), 2027-01-04 11:00, when the tasks before it are done.',
      "Reply 'done ID', 'retry ID', 'skip ID', 're-plan: what changed' or 'stop'.",
    ].join('\n'),
  );
  expect(describeRunWait({ kind: 'wait', running: [], failed: [], next: a!, until: a!.start }, undefined)).toBe(
    "Next: p.-.a (Title of p.-.a), 2027-01-04 09:00.\nReply 're-plan: what changed' or 'stop'.",
  );
});

it('tells an agent what its task is for', () => {
  expect(describeItem(c!, 'Write a book')).toBe(
    [
      'Title of p.-.c.',
      'It is done when: It is read.',
      'The task belongs to a plan for this goal: Write a book',
      'Part of the plan: Title of p.',
      'Planned from 2027-01-04 11:00 to 2027-01-04 12:00 (Europe/Berlin).',
    ].join('\n'),
  );
});

describe('the clock of a schedule', () => {
  it('is the real one, or that of a rehearsal, which is the same in every process', () => {
    const instant = parseInstant('2027-01-04T08:00:00Z');
    const real = createScheduleClock(undefined);
    expect(real.show(new Date('2027-01-04T08:00:59Z'))).toBe(instant);
    expect(real.toReal(instant).toISOString()).toBe('2027-01-04T08:00:00.000Z');
    const fast = createScheduleClock({ at: '2026-11-01T12:00:00Z', shows: '2027-01-04T06:00:00Z', speed: 3_600 });
    expect(formatInstant(fast.show(new Date('2026-11-01T12:00:02Z')))).toBe('2027-01-04T08:00:00.000Z');
    expect(fast.toReal(instant).toISOString()).toBe('2026-11-01T12:00:02.000Z');
  });

  it('has reached a time at the real time that it names', () => {
    for (const speed of [1, 7, 43_200, 1_000_000]) {
      const clock = createScheduleClock({ at: '2026-11-01T12:00:00.123Z', shows: '2027-01-04T06:00:00Z', speed });
      for (let minutes = 1; minutes < 5_000; minutes += 37) {
        const instant = parseInstant('2027-01-04T06:00:00Z') + minutes;
        const at = clock.toReal(instant);
        expect(clock.show(at)).toBeGreaterThanOrEqual(instant);
        if (speed < 60_000) expect(clock.show(new Date(at.getTime() - 1))).toBeLessThan(instant);
      }
    }
  });
});
