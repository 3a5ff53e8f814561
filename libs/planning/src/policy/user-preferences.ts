import { z } from 'zod';
import { capacitySchema, workingCalendarSchema } from '../artifacts/plan-context.js';
import { DEFAULT_STRATEGY_PROFILE, strategyProfileSchema } from '../artifacts/strategy-profile.js';
import { DEFAULT_CALENDAR, DEFAULT_CAPACITY } from './default-times.js';
import { DEFAULT_INTERACTION_POLICY, interactionPolicySchema, type PolicyOverrides } from './interaction-policy.js';

/** Lasting preferences of a person: the sliders, when they work, how much, and how work is spread. */
export const userPreferencesSchema = z.strictObject({
  ...interactionPolicySchema.shape,
  calendar: workingCalendarSchema,
  capacity: capacitySchema,
  strategy: strategyProfileSchema,
});
type AllPreferences = z.infer<typeof userPreferencesSchema>;
export type PreferenceKey = keyof AllPreferences;
/** Preferences that a person has set. */
export type UserPreferences = Partial<AllPreferences>;

/** The keys of all preferences. */
export const preferenceKeys = Object.keys(userPreferencesSchema.shape) as readonly PreferenceKey[];

/** What holds where a person has set nothing. */
export const DEFAULT_PREFERENCES: AllPreferences = {
  ...DEFAULT_INTERACTION_POLICY,
  ...{ calendar: DEFAULT_CALENDAR, capacity: DEFAULT_CAPACITY, strategy: DEFAULT_STRATEGY_PROFILE },
};

/** A change of preferences by key. `null` clears one, so that its default holds again. */
export const preferenceChangesSchema = z
  .strictObject(
    Object.fromEntries(preferenceKeys.map((key) => [key, userPreferencesSchema.shape[key].nullable().optional()])) as {
      [Key in PreferenceKey]: z.ZodOptional<z.ZodNullable<(typeof userPreferencesSchema.shape)[Key]>>;
    },
  )
  .superRefine(({ calendar }, context) => {
    for (const [index, { from, to }] of (calendar?.hours ?? []).entries())
      if (from >= to)
        context.addIssue({
          ...{ code: 'custom', path: ['calendar', 'hours', index, 'to'] },
          message: `expected a time after ${from}; hours over midnight are two entries`,
        });
  });

/** Reads stored preferences. What a release does not understand is left out, so that it never prevents a plan. */
export function readPreferences(stored: Readonly<Record<string, unknown>>): UserPreferences {
  const entries = preferenceKeys.flatMap((key) => {
    const { success, data } = userPreferencesSchema.shape[key].safeParse(stored[key]);
    return success ? [[key, data]] : [];
  });
  return Object.fromEntries(entries) as UserPreferences;
}

/**
 * Returns the parts of a request for a plan that come from lasting preferences. Whatever the request says itself counts more; a calendar, a
 * capacity or a strategy of the request replaces that of the person as a whole.
 */
export function mergePreferences(
  { calendar, capacity, strategy, ...sliders }: UserPreferences,
  request: { readonly [Key in 'calendar' | 'capacity' | 'strategy']?: object | undefined },
): Pick<UserPreferences, 'calendar' | 'capacity' | 'strategy'> & { readonly preferences?: PolicyOverrides } {
  return {
    ...(calendar && !request.calendar ? { calendar } : {}),
    ...(capacity && !request.capacity ? { capacity } : {}),
    ...(strategy && !request.strategy ? { strategy } : {}),
    ...(Object.keys(sliders).length > 0 ? { preferences: sliders } : {}),
  };
}
