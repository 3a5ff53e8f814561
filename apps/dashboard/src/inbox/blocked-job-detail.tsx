import type { InboxItem } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { TextArea, TextField } from '../ui/field.js';
import { KeyValues } from '../ui/key-values.js';
import { explainConflict, listRefusals } from './decide.js';
import type { DetailProps } from './outcome.js';
import { MissingRight } from '../ui/missing-right.js';
import { useDecision } from './use-decision.js';

/** A job that ended as blocked. A person removes what blocks it and retries it, with a message if the agent has to know. */
export function BlockedJobDetail({
  item,
  blocked,
  onDecided,
}: DetailProps & { readonly blocked: NonNullable<InboxItem['blocked']> }) {
  const can = useRights();
  return (
    <>
      <section className="stack-small">
        <h3>Why it is blocked</h3>
        <p className="wrap-anywhere">{blocked.message}</p>
        <KeyValues items={(blocked.items ?? []).map(({ id, reason }, index) => [id ?? `${index + 1}.`, reason])} />
        <p className="muted">
          Code <code>{blocked.code}</code>
        </p>
      </section>
      <div className="inbox-actions">
        {can('jobs:control', item.tenant) ? (
          <RetryForm {...{ item, blocked, onDecided }} />
        ) : (
          <MissingRight right="jobs:control" tenant={item.tenant} />
        )}
      </div>
    </>
  );
}

function RetryForm({ item, onDecided }: DetailProps & { readonly blocked: object }) {
  const [message, setMessage] = useState('');
  const [cost, setCost] = useState('');
  const decision = useDecision(item, onDecided);
  const maxCostUsd = Number(cost);
  const isCostInvalid = cost.trim() !== '' && !(maxCostUsd > 0);
  const isRefused = decision.error && explainConflict(decision.error) === undefined;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const budgets = cost.trim() === '' ? {} : { budgets: { maxCostUsd } };
        decision.mutate({ kind: 'retry', message: message.trim(), ...budgets });
      }}
    >
      <TextArea
        label="Tell the agent (optional)"
        help="For example what has changed since. The agent reads it before its next step."
        rows={3}
        value={message}
        error={isRefused ? listRefusals(decision.error) : undefined}
        onChange={({ target }) => setMessage(target.value)}
      />
      <TextField
        label="New cost limit in US dollars (optional)"
        inputMode="decimal"
        value={cost}
        error={isCostInvalid ? 'Expected a number above 0.' : undefined}
        onChange={({ target }) => setCost(target.value)}
      />
      <div className="row">
        <Button type="submit" variant="primary" disabled={isCostInvalid || decision.isPending}>
          Retry the job
        </Button>
      </div>
    </form>
  );
}
