import type { Preferences } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { Button, LinkButton } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { isShownAtFields, listFieldErrors } from '../ui/field-errors.js';
import { Empty, ErrorNotice, Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { PlanForm } from './plan-form.js';
import { describeDefault, SliderField } from './slider-field.js';
import { checkSliders, sliders, toSliderValue, type Slider, type SliderTexts } from './sliders.js';
import { TenantSelect } from './tenant-select.js';
import { isConflict, PREFERENCES_RIGHT, usePreferences, useSavePreferences } from './use-preferences.js';
import { useTenantChoice } from './use-tenant-choice.js';
import './plans.css';

/** How plans deal with the person from now on. */
export default function PreferencesScreen() {
  const can = useRights();
  const choice = useTenantChoice(PREFERENCES_RIGHT);
  const { tenant } = choice;
  const preferences = usePreferences(tenant);
  return (
    <Page title="Preferences for plans" actions={<LinkButton to="/plans">All plans</LinkButton>}>
      {choice.names.length > 1 ? (
        <div className="form-row plan-filters">
          <TenantSelect choice={choice} />
        </div>
      ) : null}
      {can(PREFERENCES_RIGHT, tenant) ? (
        // Another tenant has other preferences.
        <QueryView key={tenant} query={preferences}>
          {(data) => <PreferencesForm preferences={data} />}
        </QueryView>
      ) : (
        <Empty>
          Preferences are for people who reply to plans: that needs the right <code>{PREFERENCES_RIGHT}</code>
          {tenant === undefined ? '.' : ` in the tenant ${tenant}.`}
        </Empty>
      )}
    </Page>
  );
}

/** What the person has changed here and not saved. */
interface Edit {
  readonly texts: SliderTexts;
  /** Version of the preferences at the first change: those that the person saw. */
  readonly version: number;
}

function PreferencesForm({ preferences }: { readonly preferences: Preferences }) {
  const [edit, setEdit] = useState<Edit>();
  const [found, setFound] = useState<SliderTexts>({});
  const [message, setMessage] = useState('');
  const save = useSavePreferences(preferences.tenant);
  const errors: Readonly<Partial<Record<string, string>>> = { ...listFieldErrors(save.error), ...found };

  const changed = sliders.filter(
    ({ key }) => (edit?.texts[key] ?? readStored(preferences, key)) !== readStored(preferences, key),
  );
  const change = (key: string, text: string): void => {
    // After a conflict, what is shown is what the next change is about.
    const version = edit === undefined || isConflict(save.error) ? preferences.version : edit.version;
    setEdit({ texts: { ...edit?.texts, [key]: text }, version });
    setFound({});
    setMessage('');
    // What the server answers to the request that is under way is still shown.
    if (!save.isPending) save.reset();
  };
  const send = (): void => {
    const wrong = checkSliders(edit?.texts ?? {});
    setFound(wrong);
    if (Object.keys(wrong).length > 0) return;
    if (edit === undefined || changed.length === 0) {
      setMessage('Nothing was changed.');
      return;
    }
    const changes = changed.map((slider) => [slider.key, toSliderValue(slider, edit.texts[slider.key]!)]);
    const version = isConflict(save.error) ? preferences.version : edit.version;
    const onSuccess = (saved: Preferences): void => {
      setEdit((now) => now && removeSaved(now, edit.texts, saved.version));
      setMessage('Saved. Your later plans use it.');
    };
    save.mutate({ changes: Object.fromEntries(changes), version }, { onSuccess });
  };
  return (
    <PlanForm errors={errors} isPending={save.isPending} onSend={send}>
      <Card title="How the planner deals with you">
        <div className="plan-sliders">
          {sliders.map((slider) => (
            <PreferenceField
              key={slider.key}
              slider={slider}
              text={edit?.texts[slider.key] ?? readStored(preferences, slider.key)}
              state={changed.includes(slider) ? 'not saved' : preferences.set.includes(slider.key) ? 'set' : 'default'}
              error={errors[slider.key]}
              onChange={(text) => change(slider.key, text)}
            />
          ))}
        </div>
      </Card>
      <div className="row">
        <Button type="submit" variant="primary" disabled={save.isPending}>
          {save.isPending ? 'Saving…' : 'Save preferences'}
        </Button>
        <span role="status">{message}</span>
      </div>
      {save.error ? <Refusal error={save.error} /> : null}
      <p className="muted">
        Working hours, how much fits in and how work is spread are set with{' '}
        <code>phaseline preferences set calendar</code>, <code>capacity</code> and <code>strategy</code>.
      </p>
    </PlanForm>
  );
}

function Refusal({ error }: { readonly error: unknown }) {
  if (isConflict(error))
    return (
      <Notice tone="warn">
        <p>
          Not saved: your preferences were changed elsewhere. This page now shows them with your changes; save again to
          store these.
        </p>
      </Notice>
    );
  return isShownAtFields(
    error,
    sliders.map(({ key }) => key),
  ) ? null : (
    <ErrorNotice error={error} />
  );
}

const badges = {
  set: (
    <Badge glyph="✓" tone="ok">
      set by you
    </Badge>
  ),
  default: <Badge glyph="○">default</Badge>,
  'not saved': (
    <Badge glyph="●" tone="warn">
      not saved
    </Badge>
  ),
} as const;

function PreferenceField({
  slider,
  text,
  state,
  error,
  onChange,
}: {
  readonly slider: Slider;
  readonly text: string;
  readonly state: keyof typeof badges;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  return (
    <div className="plan-preference">
      <SliderField {...{ slider, text, error, onChange }} unset={describeDefault(slider)} />
      <div className="plan-preference-state">
        {badges[state]}
        <Button
          variant="quiet"
          disabled={text === ''}
          aria-label={`Clear ${slider.title.toLowerCase()}`}
          onClick={({ currentTarget }) => {
            onChange('');
            // The button is disabled now, so the focus needs another place.
            currentTarget.closest('.plan-preference')?.querySelector<HTMLElement>('.input')?.focus();
          }}
        >
          Clear
        </Button>
      </div>
    </div>
  );
}

/** Returns what was changed while the other changes were saved. */
function removeSaved({ texts }: Edit, saved: SliderTexts, version: number): Edit | undefined {
  const rest = Object.entries(texts).filter(([key, text]) => text !== saved[key]);
  return rest.length === 0 ? undefined : { texts: Object.fromEntries(rest), version };
}

/** The text of a slider that the person has set; empty if they have not. */
function readStored({ preferences, set }: Preferences, key: string): string {
  return set.includes(key) ? String(preferences[key]) : '';
}
