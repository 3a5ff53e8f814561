import { describe, expect, it } from 'vitest';
import { evolvePreferences, findRealChanges, foldPreferences, mergeAnswer } from './preferences.js';

const recordedAt = '2027-01-04T08:00:00.000000Z';

function change(...list: readonly (readonly [position: number, changes: Record<string, string | number | null>])[]) {
  return list.reduce(
    (current, [position, changes], index) =>
      evolvePreferences(current, { data: { actor: 'ada', changes } }, { version: index + 1, position, recordedAt }),
    foldPreferences([]),
  );
}

describe('preferences and an answer to a plan', () => {
  const answer = { value: 'concise', position: 20 };

  it('are both there, with the version of the later one', () => {
    expect(mergeAnswer(change(), undefined)).toEqual({ values: {}, version: 0 });
    expect(mergeAnswer(change([10, { tone: 'friendly' }]), answer)).toEqual({
      ...{ values: { tone: 'friendly', conversationStyle: 'concise' }, version: 20 },
    });
    expect(mergeAnswer(change([30, { tone: 'friendly' }]), answer).version).toBe(30);
  });

  it.each([
    [10, 'coach', 'concise'],
    [30, 'coach', 'coach'],
    [10, null, 'concise'],
    [30, null, undefined],
  ])('set at %d to %s: %s', (position, style, expected) => {
    const stored = change([position, { conversationStyle: style }]);
    expect(mergeAnswer(stored, answer).values['conversationStyle']).toBe(expected);
    // A later change of another preference does not change which one counts.
    const later = change([position, { conversationStyle: style }], [40, { tone: 'clinical' }]);
    expect(mergeAnswer(later, answer).values['conversationStyle']).toBe(expected);
  });
});

it('changes that make no difference are none', () => {
  const current = { tone: 'friendly', capacity: { minutesPerDay: 1, minutesPerWeek: 2 } };
  const same = { tone: 'friendly', capacity: { minutesPerWeek: 2, minutesPerDay: 1 }, autonomy: null };
  expect(findRealChanges(current, same)).toEqual({});
  expect(findRealChanges(current, { ...same, tone: null, talkativeness: 0 })).toEqual({ tone: null, talkativeness: 0 });
});
