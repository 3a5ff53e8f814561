import type { SubmitResponse } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { agentsQuery } from '../api/queries.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { TextArea } from '../ui/field.js';
import { Empty, Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { useFocusOfFirstError } from '../ui/use-focus-of-first-error.js';
import { AgentChoice, AgentNeeds } from './agent-choice.js';
import { Documents } from './documents.js';
import { LimitFields } from './limit-fields.js';
import { OtherFields } from './other-fields.js';
import { placeRefusals } from './place-refusals.js';
import { checkDraft, type Agent, type FieldErrors, type SubmitDraft } from './submit-draft.js';
import { useSubmit } from './use-submit.js';
import './submit.css';

const EMPTY: SubmitDraft = {
  ...{ agent: '', tenant: '', instructions: '', documents: [], parameters: {}, labels: '', priority: '' },
  ...{ maxCostUsd: '', maxTokens: '', maxPhases: '', maxMinutes: '', encrypt: false, idempotencyKey: '' },
};

export default function SubmitScreen() {
  const agents = useQuery(agentsQuery);
  return (
    <Page title="Submit a job">
      <QueryView query={agents}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>The server has no agent. Add one, then submit a job to it.</Empty>
          ) : (
            <SubmitForm agents={items} />
          )
        }
      </QueryView>
    </Page>
  );
}

function SubmitForm({ agents }: { readonly agents: readonly Agent[] }) {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState<SubmitDraft>(() => ({ ...EMPTY, agent: search.get('agent') ?? '' }));
  const [errors, setErrors] = useState<FieldErrors>({});
  const [repeated, setRepeated] = useState<SubmitResponse>();
  const form = useRef<HTMLFormElement>(null);
  const { submit, progress } = useSubmit((response, { idempotencyKey }) => {
    // A job that exists already under a key of this page is that of an earlier press, whose response was lost.
    if (response.created || idempotencyKey.trim() === '') navigate(`/jobs/${response.jobId}`);
    else setRepeated(response);
  });
  const refusals = submit.error ? placeRefusals(submit.error) : undefined;
  const shown: FieldErrors = { ...refusals?.fields, ...errors };
  useFocusOfFirstError(form, shown);

  const agent = agents.find(({ name }) => name === draft.agent);
  const change = (next: Partial<SubmitDraft>): void => {
    setDraft((before) => ({ ...before, ...next }));
    setErrors({});
    setRepeated(undefined);
    submit.reset();
  };
  const send = (): void => {
    const found = checkDraft(draft, agent);
    setErrors(found);
    if (Object.keys(found).length === 0) submit.mutate(draft);
  };
  const parts = { draft, change, errors: shown };
  return (
    <form
      ref={form}
      className="submit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="stack">
        <Card title="What to do">
          <div className="form">
            <AgentChoice {...{ agents, ...parts }} />
            <TextArea
              label={agent?.requires?.instructions === true ? 'Instructions' : 'Instructions (optional)'}
              help="In addition to those of the agent."
              rows={5}
              value={draft.instructions}
              error={shown['instructions']}
              onChange={({ target }) => change({ instructions: target.value })}
            />
            {(agent?.requires?.parameters ?? []).map((name) => (
              <TextArea
                key={name}
                label={`Parameter ${name}`}
                rows={1}
                value={draft.parameters[name] ?? ''}
                error={shown[`parameters.${name}`]}
                onChange={({ target }) => change({ parameters: { ...draft.parameters, [name]: target.value } })}
              />
            ))}
          </div>
        </Card>
        <Documents
          documents={draft.documents}
          error={shown['documents']}
          onChange={(documents) => change({ documents })}
        />
        <LimitFields {...{ agent, ...parts }} />
        <OtherFields {...parts} />
      </div>
      <aside className="submit-aside">
        {agent ? <AgentNeeds agent={agent} /> : null}
        <div aria-live="polite" className="stack-small">
          {refusals?.rest === undefined ? null : (
            <Notice tone="bad">
              <p className="wrap-anywhere">{refusals.rest}</p>
            </Notice>
          )}
          {repeated ? (
            <Notice tone="warn">
              <p>
                Nothing was submitted: this idempotency key belongs to the job{' '}
                <Link href={`/jobs/${repeated.jobId}`}>{repeated.jobId}</Link>.
              </p>
            </Notice>
          ) : null}
          {submit.isPending ? <Progress fraction={progress} /> : null}
        </div>
        <Button type="submit" variant="primary" disabled={submit.isPending}>
          {submit.isPending ? 'Submitting…' : 'Submit'}
        </Button>
      </aside>
    </form>
  );
}

function Progress({ fraction }: { readonly fraction: number }) {
  return (
    <label className="stack-small">
      <span>{fraction < 1 ? `Sending, ${Math.floor(fraction * 100)} %` : 'The server stores the documents…'}</span>
      <progress className="submit-progress" value={fraction} max={1} />
    </label>
  );
}
