import { generateIdempotencyKey, type BulkAction, type BulkOutcome } from '@phaseline/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { queryClient } from '../api/query-client.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { TextArea, TextField } from '../ui/field.js';
import { pluralise } from '../ui/format.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { runBulk } from './run-bulk.js';
import type { Selection } from './selection.js';

/** Asks before an action on many jobs, with their number, and shows what became of each. */
export function BulkDialog({
  action,
  title,
  selection,
  onClose,
}: {
  readonly action: BulkAction;
  readonly title: string;
  readonly selection: Selection;
  readonly onClose: (outcomes: readonly BulkOutcome[]) => void;
}) {
  const [text, setText] = useState('');
  // One per text: pressing the button again after a lost response does not act twice; another text is another request.
  const [idempotencyKey, setKey] = useState(generateIdempotencyKey);
  const change = (next: string): void => {
    setText(next);
    setKey(generateIdempotencyKey());
  };
  const [outcomes, setOutcomes] = useState<readonly BulkOutcome[]>([]);
  const count = useCount(action, selection);
  const stop = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      const chosen = { action, text: text.trim(), selection, expectedCount: count.data ?? 0, idempotencyKey };
      return runBulk(chosen, setOutcomes, stop.current.signal);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  });
  // A request that was sent cannot be taken back, so while it runs the dialog stays and only further ones are stopped.
  const close = (): void => {
    if (run.isPending) stop.current?.abort();
    else onClose(outcomes);
  };
  const isSteer = action === 'steer';
  const isReady = count.data !== undefined && count.data > 0 && (!isSteer || text.trim() !== '');
  return (
    <Dialog title={`${title} ${count.data === undefined ? '…' : pluralise(count.data, 'job')}`} onClose={close}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        {isSteer ? (
          <TextArea
            label="Message to the agents"
            required
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        ) : (
          <TextField
            label="Reason (recorded in the log)"
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        )}
        {count.error ? <ErrorNotice error={count.error} /> : null}
        {run.error ? <ErrorNotice error={run.error} /> : null}
        {outcomes.length > 0 || run.isPending ? <Outcomes outcomes={outcomes} total={count.data ?? 0} /> : null}
        <DialogActions>
          <Button onClick={close}>{run.isPending ? 'Stop' : run.isSuccess ? 'Close' : 'Keep as they are'}</Button>
          {run.isSuccess ? null : (
            <Button
              type="submit"
              variant={action === 'cancel' ? 'danger' : 'primary'}
              disabled={!isReady || run.isPending}
            >
              {title} {count.data === undefined ? '' : pluralise(count.data, 'job')}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** The number of jobs that the action would concern. */
function useCount(action: BulkAction, selection: Selection) {
  return useQuery({
    queryKey: ['bulk-count', action, selection.kind === 'matching' ? selection.filter : [...selection.jobIds]],
    queryFn: async ({ signal }) => {
      if (selection.kind === 'jobs') return selection.jobIds.size;
      const request = {
        action,
        filter: selection.filter,
        dryRun: true,
        ...(action === 'steer' ? { message: 'x' } : {}),
      };
      const { outcomes, remaining } = await client.controlMany(request, { signal });
      return outcomes.length + remaining;
    },
    staleTime: Infinity,
    gcTime: 0,
  });
}

function Outcomes({ outcomes, total }: { readonly outcomes: readonly BulkOutcome[]; readonly total: number }) {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  return (
    <div className="stack-small">
      <progress value={outcomes.length} max={Math.max(1, total)} aria-label="Jobs" />
      <p role="status">
        {pluralise(outcomes.length - refused.length, 'job')} done, {refused.length} refused
      </p>
      {refused.length === 0 ? null : (
        <Notice tone="warn">
          <ul className="job-refusals">
            {refused.map(({ jobId, message }) => (
              <li key={jobId} className="wrap-anywhere">
                <Link href={`/jobs/${jobId}`}>{jobId.slice(0, 8)}</Link>: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}
