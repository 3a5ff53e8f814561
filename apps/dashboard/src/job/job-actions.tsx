import type { JobSummary } from '@phaseline/client';
import { isEnded, isRetryable } from '@phaseline/contracts';
import { useState } from 'react';
import { client } from '../api/client.js';
import { queryClient } from '../api/query-client.js';
import { useRights } from '../api/use-rights.js';
import { Button, LinkButton } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { ForkDialog } from './fork-dialog.js';
import { SteerDialog } from './steer-dialog.js';

type Open = 'pause' | 'resume' | 'cancel' | 'retry' | 'steer' | 'fork';

/** What a person may do with the job in its present status. */
export function JobActions({ job }: { readonly job: JobSummary }) {
  const can = useRights();
  const [open, setOpen] = useState<Open>();
  const mayControl = can('jobs:control', job.tenant);
  const actions = mayControl ? listActions(job) : [];
  const close = (): void => setOpen(undefined);
  return (
    <>
      {actions.map(({ action, title }) => (
        <Button key={action} variant={action === 'cancel' ? 'danger' : 'plain'} onClick={() => setOpen(action)}>
          {title}
        </Button>
      ))}
      {can('jobs:read') ? <LinkButton to={`/audit/${job.jobId}`}>Audit</LinkButton> : null}
      {can('jobs:submit', job.tenant) ? (
        <Button variant="primary" onClick={() => setOpen('fork')}>
          Fork here
        </Button>
      ) : null}
      {open === 'fork' ? <ForkDialog job={job} onClose={close} /> : null}
      {open === 'steer' ? <SteerDialog jobId={job.jobId} onClose={close} /> : null}
      {open === undefined || open === 'fork' || open === 'steer' ? null : (
        <ControlDialog job={job} action={open} onClose={close} />
      )}
    </>
  );
}

function listActions({ status }: JobSummary): readonly { readonly action: Open; readonly title: string }[] {
  if (isRetryable(status)) return [{ action: 'retry', title: 'Retry' }];
  if (isEnded(status) || status === 'cancelling') return [];
  return [
    status === 'paused' ? { action: 'resume', title: 'Resume' } : { action: 'pause', title: 'Pause' },
    { action: 'steer', title: 'Steer' },
    { action: 'cancel', title: 'Cancel' },
  ];
}

const texts = {
  pause: { title: 'Pause the job', confirm: 'Pause', text: 'The job stops after the step that is running.' },
  resume: { title: 'Resume the job', confirm: 'Resume', text: 'The job continues where it stopped.' },
  cancel: {
    title: 'Cancel the job',
    confirm: 'Cancel the job',
    text: 'Running tools and model calls are stopped. A cancelled job cannot be continued, only forked.',
  },
  retry: {
    title: 'Retry the job',
    confirm: 'Retry',
    text: 'The job runs its last phase again, with all of its files.',
  },
} as const;

function ControlDialog({
  job: { jobId, position },
  action,
  onClose,
}: {
  readonly job: JobSummary;
  readonly action: keyof typeof texts;
  readonly onClose: () => void;
}) {
  const { title, confirm, text } = texts[action];
  const run = async (reason: string): Promise<void> => {
    const request = { ...(reason === '' ? {} : { reason }), ifUnchangedSince: position };
    await (action === 'cancel' ? client.cancel(jobId, request) : client.control(jobId, action, request));
    await queryClient.invalidateQueries({ queryKey: ['job', jobId, 'summary'] });
  };
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirm}
      danger={action === 'cancel'}
      reasonLabel="Reason (recorded in the log)"
      onConfirm={run}
      onClose={onClose}
    >
      <p>{text}</p>
    </ConfirmDialog>
  );
}
