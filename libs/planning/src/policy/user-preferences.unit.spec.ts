import { describe, expect, it } from 'vitest';
import { describeAllowedValues, findPreferenceKey, parsePreference } from './parse-preference.js';
import {
  DEFAULT_PREFERENCES,
  mergePreferences,
  preferenceChangesSchema,
  preferenceKeys,
  readPreferences,
} from './user-preferences.js';

const capacity = { minutesPerDay: 60, minutesPerWeek: 300 };
const strategy = { loading: 'front_loaded', bufferShare: 0.2, preferredWeekdays: ['saturday'] } as const;
const calendar = { hours: [{ weekday: 'monday', from: '18:00', to: '20:00' }], holidays: [] } as const;

describe('lasting preferences', () => {
  it('are the seven sliders, calendar, capacity and strategy, each with a default', () => {
    expect(preferenceKeys).toHaveLength(10);
    expect(Object.keys(DEFAULT_PREFERENCES).sort()).toEqual([...preferenceKeys].sort());
    expect(preferenceChangesSchema.parse(DEFAULT_PREFERENCES)).toEqual(DEFAULT_PREFERENCES);
    expect(readPreferences({ ...DEFAULT_PREFERENCES })).toEqual(DEFAULT_PREFERENCES);
  });

  it('are changed by key, and cleared by null', () => {
    expect(preferenceChangesSchema.parse({ tone: null, capacity })).toEqual({ tone: null, capacity });
    expect(preferenceChangesSchema.parse({})).toEqual({});
    for (const wrong of [{ mood: 'good' }, { tone: 'rude' }, { talkativeness: 2 }, { capacity: { minutesPerDay: 60 } }])
      expect(preferenceChangesSchema.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
    const over = { hours: [{ weekday: 'monday', from: '22:00', to: '02:00' }], holidays: [] };
    const refused = preferenceChangesSchema.safeParse({ calendar: over });
    expect(refused.error?.issues.map(({ path }) => path.join('.'))).toEqual(['calendar.hours.0.to']);
  });

  it('that a release does not understand are left out', () => {
    expect(readPreferences({ tone: 'friendly', autonomy: 'total', mood: 'good' })).toEqual({ tone: 'friendly' });
  });
});

describe('a request for a plan', () => {
  it('has the preferences of its person where it says nothing itself', () => {
    const values = { tone: 'friendly', probingDepth: 0, capacity, strategy } as const;
    expect(mergePreferences({}, {})).toEqual({});
    expect(mergePreferences({ ...values, strategy: { ...strategy, preferredWeekdays: [] } }, {})).toEqual({
      ...{ preferences: { tone: 'friendly', probingDepth: 0 }, capacity },
      strategy: { ...strategy, preferredWeekdays: [] },
    });
    const other = { minutesPerDay: 10, minutesPerWeek: 10 };
    expect(mergePreferences({ capacity, tone: 'friendly' }, { capacity: other })).toEqual({
      preferences: { tone: 'friendly' },
    });
  });
});

describe('a preference in words', () => {
  it.each([
    ['tone', 'friendly', { tone: 'friendly' }],
    ['talkativeness', '0.25', { talkativeness: 0.25 }],
    ['probingDepth', '3', { probingDepth: 3 }],
    ['capacity', JSON.stringify(capacity), { capacity }],
    ['calendar', JSON.stringify(calendar), { calendar }],
  ] as const)('%s %s', (key, text, expected) => {
    expect(parsePreference(key, text)).toEqual(expected);
  });

  it.each([
    ['tone', 'rude', 'rude is no value of tone. Allowed: neutral, friendly, clinical.'],
    ['talkativeness', 'much', 'much is no value of talkativeness. Allowed: numbers from 0 to 1.'],
    ['probingDepth', '4', '4 is no value of probingDepth. Allowed: whole numbers from 0 to 3.'],
    [
      'capacity',
      '{"minutesPerDay":0,"minutesPerWeek":1}',
      /\(minutesPerDay: .*\)\. Allowed: JSON such as \{"minutesPerDay":60/,
    ],
  ] as const)('is refused: %s %s', (key, text, message) => {
    expect(() => parsePreference(key, text)).toThrow(message);
  });

  it('has examples that it accepts', () => {
    const objects = ['calendar', 'capacity', 'strategy'] as const;
    for (const key of objects) {
      const [, example] = /^JSON such as (.*)$/.exec(describeAllowedValues(key)) ?? [];
      expect(Object.keys(parsePreference(key, example!))).toEqual([key]);
    }
  });

  it('is found by its name in each notation', () => {
    expect(['conversationStyle', 'conversation-style', 'conversation_style'].map(findPreferenceKey)).toEqual(
      Array.from({ length: 3 }, () => 'conversationStyle'),
    );
    expect(findPreferenceKey('mood')).toBeUndefined();
  });
});
