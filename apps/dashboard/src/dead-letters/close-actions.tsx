import { useState } from 'react';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { pluralise } from '../ui/format.js';
import { Notice } from '../ui/notice.js';
import { summariseOutcomes, type Outcome } from './dead-letter-fields.js';
import { useCloseDeadLetters, type Closing } from './use-dead-letters.js';

interface Result {
  readonly sentence: string;
  readonly outcomes: readonly Outcome[];
}

/** What can be done with the selected dead letters, and what became of it. */
export function CloseActions({
  ids,
  hint,
  onDone,
}: {
  readonly ids: readonly string[];
  /** Shown while nothing is selected, or empty where there is nothing to select. */
  readonly hint: string;
  readonly onDone?: () => void;
}) {
  const close = useCloseDeadLetters();
  const [isAsking, setAsking] = useState(false);
  const [result, setResult] = useState<Result>();
  const run = async ({ action, reason }: Closing): Promise<void> => {
    const outcomes = await close.mutateAsync({ action, ids, ...(reason === undefined ? {} : { reason }) });
    setResult({ sentence: summariseOutcomes(outcomes, action === 'retry' ? 'sent again' : 'discarded'), outcomes });
    onDone?.();
  };
  const count = pluralise(ids.length, 'message');
  const isIdle = ids.length === 0 || close.isPending;
  return (
    <>
      <div className="row">
        <Button variant="primary" disabled={isIdle} onClick={() => void run({ action: 'retry' })}>
          {ids.length === 0 || hint === '' ? 'Retry' : `Retry ${count}`}
        </Button>
        <Button variant="danger" disabled={isIdle} onClick={() => setAsking(true)}>
          {ids.length === 0 || hint === '' ? 'Discard…' : `Discard ${count}…`}
        </Button>
        <span className="muted" aria-live="polite">
          {ids.length === 0 || hint === '' ? hint : `${count} selected`}
        </span>
      </div>
      {result ? <ResultNotice result={result} onClose={() => setResult(undefined)} /> : null}
      {isAsking ? (
        <ConfirmDialog
          title={`Discard ${count}?`}
          confirmLabel="Discard"
          danger
          reasonLabel="Reason"
          reasonRequired
          onConfirm={(reason) => run({ action: 'discard', reason })}
          onClose={() => setAsking(false)}
        >
          <p>Discarded messages are never sent again. They stay in the database, but leave this list.</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function ResultNotice({ result, onClose }: { readonly result: Result; readonly onClose: () => void }) {
  const refused = result.outcomes.filter(({ refusal }) => refusal !== undefined);
  return (
    <Notice tone={refused.length === 0 ? 'ok' : 'warn'}>
      <div className="grow">
        <p>{result.sentence}.</p>
        {refused.map(({ id, refusal }) => (
          <p key={id} className="wrap-anywhere">
            {id}: {refusal}
          </p>
        ))}
      </div>
      <Button variant="quiet" onClick={onClose}>
        Hide
      </Button>
    </Notice>
  );
}
