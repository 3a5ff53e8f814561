import { expect, it } from 'vitest';
import { sliders, toSliderValue } from '../../apps/dashboard/src/plans/sliders.js';
import {
  DEFAULT_INTERACTION_POLICY,
  interactionPolicySchema,
} from '../../libs/planning/src/policy/interaction-policy.js';

it('the dashboard offers exactly the values of the interaction policy, and its defaults', () => {
  const { shape } = interactionPolicySchema;
  const valuesOf = (key: string): readonly unknown[] | undefined => {
    const schema = shape[key as keyof typeof shape];
    if ('options' in schema) return schema.options;
    const { minValue, maxValue, isInt } = schema;
    return isInt ? Array.from({ length: maxValue! - minValue! + 1 }, (_, step) => minValue! + step) : undefined;
  };
  expect(sliders.map(({ key }) => key)).toEqual(Object.keys(shape));
  for (const slider of sliders) {
    expect([slider.key, slider.values?.map((text) => toSliderValue(slider, text))]).toEqual([
      slider.key,
      valuesOf(slider.key),
    ]);
    expect([slider.key, toSliderValue(slider, slider.usual)]).toEqual([
      slider.key,
      DEFAULT_INTERACTION_POLICY[slider.key as keyof typeof shape],
    ]);
  }
});
