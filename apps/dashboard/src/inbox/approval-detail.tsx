import type { InboxItem } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Code } from '../ui/code.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { TextField } from '../ui/field.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { Patch } from '../ui/patch.js';
import { AmendDialog } from './amend-dialog.js';
import { renderArguments } from './argument-text.js';
import { CitedSources } from './cited-sources.js';
import { explainConflict } from './decide.js';
import type { DetailProps } from './outcome.js';
import { MissingRight } from '../ui/missing-right.js';
import { useDecision } from './use-decision.js';

type Approval = NonNullable<InboxItem['approval']>;

/** A call that waits for approval: why, what it would change, and the decision. */
export function ApprovalDetail({ item, approval, onDecided }: DetailProps & { readonly approval: Approval }) {
  const { tool, reason, guardNotes = [], change, sources = [] } = approval;
  return (
    <>
      <section>
        <h3>Why you are asked</h3>
        <p className="wrap-anywhere">
          {reason ?? `A person decides about each call of ${tool}: the agent's definition says so.`}
        </p>
        {guardNotes.map((note) => (
          <p key={note} className="wrap-anywhere">
            {note}
          </p>
        ))}
      </section>
      {change ? <FileChange {...{ change }} /> : null}
      <Arguments {...{ approval }} />
      {sources.length > 0 ? <CitedSources {...{ sources }} /> : null}
      <Actions {...{ item, approval, onDecided }} />
    </>
  );
}

function FileChange({ change }: { readonly change: NonNullable<Approval['change']> }) {
  const { path, patch, omittedBecause } = change;
  const reasons: Readonly<Record<string, string>> = {
    'too-large': 'The file is too large to be compared.',
    'not-text': 'The file is not text.',
    'too-different': 'The texts have too little in common to be compared.',
  };
  return (
    <section className="stack-small">
      <h3 className="wrap-anywhere">What it would change: {path}</h3>
      {patch === undefined ? (
        <p className="muted">{reasons[omittedBecause ?? ''] ?? `No difference is shown: ${omittedBecause}.`}</p>
      ) : (
        <Patch label={`Change of ${path}`} patch={patch} />
      )}
    </section>
  );
}

/** The arguments as they are. They are folded where the change shows them. */
function Arguments({ approval }: { readonly approval: Approval }) {
  const text = renderArguments(approval.arguments);
  if (approval.change?.patch === undefined)
    return (
      <section className="stack-small">
        <h3>Arguments</h3>
        <Code label="Arguments" text={text} />
      </section>
    );
  return (
    <details>
      <summary>Arguments</summary>
      <Code label="Arguments" text={text} />
    </details>
  );
}

function Actions({ item, approval, onDecided }: DetailProps & { readonly approval: Approval }) {
  const can = useRights();
  const [dialog, setDialog] = useState<'amend' | 'refuse'>();
  const [reason, setReason] = useState('');
  const decision = useDecision(item, onDecided);
  if (!can('approvals:decide', item.tenant))
    return (
      <div className="inbox-actions">
        <MissingRight right="approvals:decide" tenant={item.tenant} />
      </div>
    );
  const close = (): void => setDialog(undefined);
  return (
    <div className="inbox-actions">
      {decision.error && dialog === undefined && explainConflict(decision.error) === undefined ? (
        <ErrorNotice error={decision.error} />
      ) : null}
      <TextField
        label="Reason for approving (optional, recorded in the log)"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <div className="row">
        <Button
          variant="primary"
          disabled={decision.isPending}
          onClick={() => decision.mutate({ kind: 'approve', reason: reason.trim() })}
        >
          Approve
        </Button>
        <Button disabled={decision.isPending} onClick={() => setDialog('amend')}>
          Change and approve…
        </Button>
        <Button variant="danger" disabled={decision.isPending} onClick={() => setDialog('refuse')}>
          Refuse…
        </Button>
      </div>
      {dialog === 'amend' ? <AmendDialog {...{ approval, decision, reason: reason.trim(), onClose: close }} /> : null}
      {dialog === 'refuse' ? (
        <ConfirmDialog
          title={`Refuse the call of ${approval.tool}?`}
          confirmLabel="Refuse"
          danger
          reasonLabel="Reason, which the agent reads"
          onConfirm={(reason) => decision.mutateAsync({ kind: 'refuse', reason })}
          onClose={close}
        >
          <Notice>
            <p>The call does not run. The agent continues, and may try something else.</p>
          </Notice>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}
