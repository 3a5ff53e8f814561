import type { LearningTraceRecord, TraceScopeChangeRecord } from '@phaseline/client';
import type { InfiniteData } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { queryClient } from '../api/query-client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';

interface DialogProps {
  readonly trace: LearningTraceRecord;
  readonly onClose: () => void;
}

/** Lets agents of other jobs read a learning trace. The person for whom its job ran is refused. */
export function PromoteTraceDialog({ trace, onClose }: DialogProps) {
  const { id, scope, project } = trace;
  const [to, setTo] = useState<'project' | 'universal'>(scope === 'job' ? 'project' : 'universal');
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title="Promote the learning trace"
      submitLabel="Promote"
      fields={['to', 'reason']}
      isComplete={reason.trim() !== ''}
      onSubmit={async () => showChange(trace, await client.learning.promote(id, { to, reason: reason.trim() }))}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <p>
            Agents of other jobs of the tenant then find it with query_traces, as quoted text. Read it first: it was
            written by models, tools and people.
          </p>
          <SelectField
            label="Who may read it"
            value={to}
            error={errorOf('to')}
            onChange={({ target }) => setTo(target.value === 'project' ? 'project' : 'universal')}
          >
            {scope === 'job' ? <option value="project">{`agents of its project, ${project}`}</option> : null}
            <option value="universal">every agent of its tenant</option>
          </SelectField>
          <TextField
            label="Reason (recorded in the log)"
            value={reason}
            required
            error={errorOf('reason')}
            onChange={({ target }) => setReason(target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Takes the promotion of a learning trace back. */
export function WithdrawTraceDialog({ trace, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title="Withdraw the learning trace"
      confirmLabel="Withdraw"
      danger
      reasonLabel="Reason (recorded in the log)"
      reasonRequired
      onConfirm={async (reason) => showChange(trace, await client.learning.withdraw(trace.id, { reason }))}
      onClose={onClose}
    >
      <p>
        Only agents of its own job can find it then. What running phases have read of it stays in their conversations.
      </p>
    </ConfirmDialog>
  );
}

/** Shows the new scope at once: the lists of the server follow within seconds. */
function showChange({ id }: LearningTraceRecord, { scope }: TraceScopeChangeRecord): void {
  const change = (one: LearningTraceRecord): LearningTraceRecord => (one.id === id ? { ...one, scope } : one);
  queryClient.setQueryData<LearningTraceRecord>(['learning', 'trace', id], (one) => one && change(one));
  queryClient.setQueriesData<InfiniteData<LearningTraceRecord[]>>(
    { queryKey: ['learning', 'traces'] },
    (list) => list && { ...list, pages: list.pages.map((page) => page.map(change)) },
  );
}
