import type { RetentionRunRecord } from '@phaseline/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { formatBytes, formatCount, pluralise } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { ErrorNotice } from '../ui/notice.js';
import { DateTime } from '../ui/time.js';

const looks = {
  waiting: ['neutral', '○'],
  running: ['accent', '●'],
  completed: ['ok', '✓'],
  failed: ['bad', '✕'],
} as const;

/** The newest run, or the one that was started here, and how to start another. */
export function RetentionRun({ lastRun }: { readonly lastRun: RetentionRunRecord | undefined }) {
  const [startedId, setStartedId] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  const started = useQuery({
    queryKey: ['retention', 'run', startedId],
    queryFn: ({ signal }) => client.retention.getRun(startedId ?? '', { signal }),
    enabled: startedId !== undefined,
    refetchInterval: ({ state }) => (state.data?.endedAt === undefined ? 1_000 : false),
  });
  const start = async (dryRun: boolean): Promise<void> => {
    setStartedId((await client.retention.startRun({ dryRun })).runId);
    await queries.invalidateQueries({ queryKey: ['retention'] });
  };
  const run = started.data ?? lastRun;
  return (
    <div className="stack-small" aria-live="polite">
      <h3>{run?.dryRun === true ? 'What a run would remove' : 'Newest run'}</h3>
      {run ? <Run run={run} /> : <p className="muted">No run so far.</p>}
      {error === undefined ? null : <ErrorNotice error={error} />}
      <div className="row">
        <Button onClick={() => void start(true).then(() => setError(undefined), setError)}>Show what would go</Button>
        <Button variant="danger" onClick={() => setAsking(true)}>
          Remove now…
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title="Remove what is older than the tenants keep?"
          confirmLabel="Remove now"
          danger
          onConfirm={() => start(false)}
          onClose={() => setAsking(false)}
        >
          <p>Removed files cannot be restored. The log keeps their names and hashes; jobs on hold keep their files.</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

function Run({ run }: { readonly run: RetentionRunRecord }) {
  const [tone, glyph] = looks[run.status];
  const verb = run.dryRun ? 'Would remove' : 'Removed';
  return (
    <KeyValues
      items={[
        [
          'State',
          <Badge key="state" tone={tone} glyph={glyph}>
            {run.status}
          </Badge>,
        ],
        ['Requested', <RequestedBy key="requested" run={run} />],
        ['Ended', run.endedAt === undefined ? undefined : <DateTime key="ended" at={run.endedAt} />],
        ['Checked', pluralise(run.jobs, 'job')],
        [verb, `${pluralise(run.files, 'file')} (${formatBytes(run.bytes)}) of ${formatCount(run.removedJobs)} jobs`],
        [
          run.dryRun ? 'Would move to cold storage' : 'Moved to cold storage',
          run.movedJobs === 0
            ? undefined
            : `${pluralise(run.archivedEvents, 'event')} (${formatBytes(run.archiveBytes)}) of ${pluralise(run.movedJobs, 'job')}`,
        ],
        ['Failure', run.failure],
      ]}
    />
  );
}

function RequestedBy({ run }: { readonly run: RetentionRunRecord }) {
  return (
    <>
      <DateTime at={run.requestedAt} /> by {run.requestedBy}
    </>
  );
}
