import type { Preferences } from '@phaseline/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { toWords } from '../ui/format.js';
import { describeDefault, SliderField } from './slider-field.js';
import { sliders, type Slider, type SliderTexts } from './sliders.js';
import { PREFERENCES_RIGHT, usePreferences } from './use-preferences.js';

/** How the planner deals with the person in one plan. What is empty is as the person prefers it. */
export function PolicyFields({
  tenant,
  texts,
  errorOf,
  onChange,
}: {
  readonly tenant: string | undefined;
  readonly texts: SliderTexts;
  readonly errorOf: (key: string) => string | undefined;
  readonly onChange: (texts: SliderTexts) => void;
}) {
  const can = useRights();
  const { data: preferences } = usePreferences(tenant);
  const [isOpen, setOpen] = useState(false);
  const hasError = sliders.some(({ key }) => errorOf(key) !== undefined);
  return (
    <details
      className="card plan-policy"
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>For this plan only</summary>
      <div className="stack">
        <p className="muted">
          How the planner deals with you in this plan.{' '}
          {can(PREFERENCES_RIGHT, tenant) ? (
            <>
              What you want in every plan is in your <Link href={toPreferences(tenant)}>preferences</Link>.
            </>
          ) : null}
        </p>
        <div className="plan-sliders">
          {sliders.map((slider) => (
            <SliderField
              key={slider.key}
              slider={slider}
              text={texts[slider.key] ?? ''}
              unset={describeUnset(slider, preferences)}
              error={errorOf(slider.key)}
              onChange={(text) => onChange({ ...texts, [slider.key]: text })}
            />
          ))}
        </div>
      </div>
    </details>
  );
}

function toPreferences(tenant: string | undefined): string {
  return tenant === undefined || tenant === 'default'
    ? '/plans/preferences'
    : `/plans/preferences?tenant=${encodeURIComponent(tenant)}`;
}

function describeUnset(slider: Slider, preferences: Preferences | undefined): string {
  return preferences?.set.includes(slider.key)
    ? `your preference (${toWords(String(preferences.preferences[slider.key]))})`
    : describeDefault(slider);
}
