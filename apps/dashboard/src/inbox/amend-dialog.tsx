import type { InboxItem } from '@phaseline/client';
import { useState } from 'react';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Diff } from '../ui/diff.js';
import { TextArea } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { parseArguments, renderArguments } from './argument-text.js';
import { ArgumentFields } from './argument-fields.js';
import { listRefusals } from './decide.js';
import type { useDecision } from './use-decision.js';

/**
 * Edits the arguments of a call before it runs: texts as texts, or everything as JSON, with the difference to what the agent wanted. The
 * approval names the hash of the arguments that were shown, so that it fails if the call has others.
 */
export function AmendDialog({
  approval,
  decision,
  reason,
  onClose,
}: {
  readonly approval: NonNullable<InboxItem['approval']>;
  readonly decision: ReturnType<typeof useDecision>;
  /** Why the person approves the call; empty if they do not say. */
  readonly reason: string;
  readonly onClose: () => void;
}) {
  const before = approval.arguments;
  const [text, setText] = useState(() => JSON.stringify(before, undefined, 2));
  const [isJson, setJson] = useState(false);
  const parsed = parseArguments(text);
  const value = 'value' in parsed ? parsed.value : undefined;
  const edit = (next: string): void => {
    setText(next);
    decision.reset();
  };
  const isChanged = value !== undefined && JSON.stringify(value) !== JSON.stringify(before);
  return (
    <Dialog title={`Change the arguments of ${approval.tool}`} wide onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value && isChanged) decision.mutate({ kind: 'approve', reason, arguments: value });
        }}
      >
        {isJson || value === undefined ? (
          <TextArea
            isCode
            label="Arguments as JSON"
            rows={12}
            value={text}
            error={'problem' in parsed ? parsed.problem : undefined}
            onChange={({ target }) => edit(target.value)}
          />
        ) : (
          <ArgumentFields value={value} onChange={(next) => edit(JSON.stringify(next, undefined, 2))} />
        )}
        <div>
          <Button variant="quiet" disabled={value === undefined} onClick={() => setJson(!isJson)}>
            {isJson ? 'Edit as fields' : 'Edit as JSON'}
          </Button>
        </div>
        <section className="stack-small">
          <h3>What you change</h3>
          {value === undefined ? (
            <p className="muted">The difference appears when the JSON is valid.</p>
          ) : (
            <Diff label="Your change" before={renderArguments(before)} after={renderArguments(value)} />
          )}
        </section>
        {decision.error ? (
          <Notice tone="bad">
            <pre className="wrap-anywhere">{listRefusals(decision.error)}</pre>
          </Notice>
        ) : null}
        <DialogActions>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button type="submit" variant="primary" disabled={!isChanged || decision.isPending}>
            Approve with these arguments
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
