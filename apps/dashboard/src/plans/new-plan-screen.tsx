import type { SubmitPlanResponse } from '@phaseline/client';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { Button, LinkButton } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { isShownAtFields, listFieldErrors } from '../ui/field-errors.js';
import { TextArea, TextField } from '../ui/field.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { buildPlanRequest, checkPlanDraft, planFields, toPolicyPath, type PlanDraft } from './plan-draft.js';
import { PlanForm } from './plan-form.js';
import { PolicyFields } from './policy-fields.js';
import { TenantSelect } from './tenant-select.js';
import { useStartPlan } from './use-start-plan.js';
import { useTenantChoice, type TenantChoice } from './use-tenant-choice.js';
import { ZoneField } from './zone-field.js';
import './plans.css';

const RIGHT = 'jobs:submit';

/** Starts a plan for a goal. */
export default function NewPlanScreen() {
  const can = useRights();
  const choice = useTenantChoice(RIGHT);
  return (
    <Page title="New plan" actions={<LinkButton to="/plans">All plans</LinkButton>}>
      {can(RIGHT, choice.tenant) ? (
        <NewPlanForm choice={choice} />
      ) : (
        <Empty>
          You can follow plans, but not start one: that needs the right <code>{RIGHT}</code>
          {choice.tenant === undefined ? '.' : ` in the tenant ${choice.tenant}.`}
        </Empty>
      )}
    </Page>
  );
}

function NewPlanForm({ choice }: { readonly choice: TenantChoice }) {
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState<PlanDraft>(() => ({
    ...{ goal: '', start: '', end: '', policy: {} },
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }));
  const [found, setFound] = useState<Readonly<Record<string, string>>>({});
  const start = useStartPlan();
  const errors: Readonly<Partial<Record<string, string>>> = { ...listFieldErrors(start.error), ...found };

  const reset = (): void => {
    setFound({});
    // What the server answers to the request that is under way is still shown.
    if (!start.isPending) start.reset();
  };
  const change = (next: Partial<PlanDraft>): void => {
    setDraft((before) => ({ ...before, ...next }));
    reset();
  };
  const send = (form: HTMLFormElement): void => {
    const wrong = { ...checkPlanDraft(draft), ...findUnfinishedDays(form) };
    setFound(wrong);
    if (Object.keys(wrong).length > 0) return;
    // Not called if the person has left the page meanwhile.
    const onSuccess = ({ planId }: SubmitPlanResponse): void => navigate(`/plans/${planId}`);
    start.mutate(buildPlanRequest(draft, choice.tenant), { onSuccess });
  };
  return (
    <PlanForm errors={errors} isPending={start.isPending} onSend={send}>
      <Card title="What to plan">
        <div className="form">
          <TextArea
            label="Goal"
            help="What you want to reach, and what you know about it: by when, on which days, for how many hours. The planner asks for what is missing."
            rows={5}
            required
            value={draft.goal}
            error={errors['goal']}
            onChange={({ target }) => change({ goal: target.value })}
          />
          <div className="form-row plan-form-row">
            <TextField
              {...{
                label: 'Start (optional)',
                type: 'date',
                name: 'start',
                value: draft.start,
                error: errors['start'],
              }}
              onChange={({ target }) => change({ start: target.value })}
            />
            <TextField
              {...{ label: 'End (optional)', type: 'date', name: 'end', value: draft.end, error: errors['end'] }}
              onChange={({ target }) => change({ end: target.value })}
            />
            <ZoneField value={draft.zone} error={errors['zone']} onChange={(zone) => change({ zone })} />
            <TenantSelect
              choice={{
                ...choice,
                choose: (tenant) => {
                  reset();
                  choice.choose(tenant);
                },
              }}
              error={errors['tenant']}
            />
          </div>
        </div>
      </Card>
      <PolicyFields
        tenant={choice.tenant}
        texts={draft.policy}
        errorOf={(key) => errors[toPolicyPath(key)]}
        onChange={(policy) => change({ policy })}
      />
      <div className="row">
        <Button type="submit" variant="primary" disabled={start.isPending}>
          {start.isPending ? 'Starting…' : 'Start planning'}
        </Button>
        <Link href="/plans">Cancel</Link>
      </div>
      {start.error && !isShownAtFields(start.error, planFields) ? <ErrorNotice error={start.error} /> : null}
    </PlanForm>
  );
}

/** A day of which a part is missing is empty for the page, so the request would silently lack it. */
function findUnfinishedDays(form: HTMLFormElement): Readonly<Record<string, string>> {
  const fields = [...form.querySelectorAll<HTMLInputElement>('input[type=date]')];
  const unfinished = fields.filter(({ validity }) => validity.badInput);
  return Object.fromEntries(unfinished.map(({ name }) => [name, 'Enter a whole day, or none.']));
}
