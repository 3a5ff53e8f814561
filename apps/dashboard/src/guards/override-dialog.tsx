import type { JobId } from '@phaseline/contracts';
import { useState } from 'react';
import { client } from '../api/client.js';
import { SelectField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import type { GuardPlace } from './use-guards.js';

const MINUTE_MS = 60_000;
const durations: Readonly<Record<string, number>> = { '15 minutes': 15, '1 hour': 60, '8 hours': 480, '1 day': 1_440 };

/** Lets the calls of one job pass the guard for some time. */
export function OverrideDialog({
  name,
  place,
  onClose,
}: {
  readonly name: string;
  readonly place: GuardPlace;
  readonly onClose: () => void;
}) {
  const [job, setJob] = useState('');
  const [reason, setReason] = useState('');
  const [duration, setDuration] = useState('1 hour');
  return (
    <FormDialog
      title={`Override ${name} in a job`}
      submitLabel="Override"
      fields={['reason']}
      isComplete={job.trim() !== '' && reason.trim() !== ''}
      onSubmit={() =>
        client.guards.override(job.trim() as JobId, name, {
          scope: place.scope,
          reason: reason.trim(),
          expiresInMs: (durations[duration] ?? 60) * MINUTE_MS,
        })
      }
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Id of the job"
            help="Every call of this job passes the guard meanwhile. Each decision without effect is recorded."
            value={job}
            required
            onChange={({ target }) => setJob(target.value)}
          />
          <TextField
            label="Reason (recorded in the log)"
            value={reason}
            required
            error={errorOf('reason')}
            onChange={({ target }) => setReason(target.value)}
          />
          <SelectField label="For" value={duration} onChange={({ target }) => setDuration(target.value)}>
            {Object.keys(durations).map((title) => (
              <option key={title}>{title}</option>
            ))}
          </SelectField>
        </>
      )}
    </FormDialog>
  );
}
