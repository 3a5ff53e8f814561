import type { SubmitPlanRequest } from '@phaseline/client';
import { checkSliders, sliders, toSliderValue, type SliderTexts } from './sliders.js';

/** What a person has entered for a new plan, as texts. */
export interface PlanDraft {
  readonly goal: string;
  /** Days, YYYY-MM-DD. */
  readonly start: string;
  readonly end: string;
  readonly zone: string;
  /** What holds for this plan only. */
  readonly policy: SliderTexts;
}

/** Path of a slider in the request. */
export const toPolicyPath = (key: string): string => `policy.${key}`;

/** Paths of the values that have a field in the form, in its order. */
export const planFields: readonly string[] = [
  ...['goal', 'start', 'end', 'zone', 'tenant'],
  ...sliders.map(({ key }) => toPolicyPath(key)),
];

/** Finds what cannot be sent, by path. The server checks everything else. */
export function checkPlanDraft({ goal, policy }: PlanDraft): Readonly<Record<string, string>> {
  const ofSliders = Object.entries(checkSliders(policy)).map(([key, message]) => [toPolicyPath(key), message]);
  return { ...(goal.trim() === '' ? { goal: 'Say what you want to reach.' } : {}), ...Object.fromEntries(ofSliders) };
}

/** Builds the request. What is empty is left to preferences, defaults and the planner's questions. */
export function buildPlanRequest(draft: PlanDraft, tenant: string | undefined): SubmitPlanRequest {
  const { goal, start, end, policy } = draft;
  const zone = draft.zone.trim();
  const values = sliders.flatMap((slider) => {
    const value = toSliderValue(slider, policy[slider.key] ?? '');
    return value === null ? [] : [[slider.key, value] as const];
  });
  return {
    goal: goal.trim(),
    ...(start === '' ? {} : { start }),
    ...(end === '' ? {} : { end }),
    ...(zone === '' ? {} : { zone }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(values.length === 0 ? {} : { policy: Object.fromEntries(values) }),
  };
}
