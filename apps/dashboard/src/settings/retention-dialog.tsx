import type { RetentionSettingRecord } from '@phaseline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { TenantField } from './tenant-field.js';

/** Sets how long a tenant keeps files, vectors and learning traces of ended jobs. */
export function RetentionDialog({
  setting,
  onClose,
}: {
  readonly setting: RetentionSettingRecord | undefined;
  readonly onClose: () => void;
}) {
  const [tenant, setTenant] = useState(setting?.tenant ?? '');
  const [files, setFiles] = useState(String(setting?.filesDays ?? ''));
  const [vectors, setVectors] = useState(String(setting?.vectorsDays ?? ''));
  const [learning, setLearning] = useState(String(setting?.learningDays ?? ''));
  const [cold, setCold] = useState(String(setting?.coldDays ?? ''));
  const queries = useQueryClient();
  const submit = async (): Promise<void> => {
    await client.retention.set(tenant.trim(), {
      filesDays: parseDays(files),
      vectorsDays: parseDays(vectors),
      learningDays: parseDays(learning),
      coldDays: parseDays(cold),
    });
    await queries.invalidateQueries({ queryKey: ['retention'] });
  };
  return (
    <FormDialog
      title={setting ? `Retention of ${setting.tenant}` : 'Set the retention of a tenant'}
      submitLabel="Set retention"
      fields={['tenant', 'filesDays', 'vectorsDays', 'learningDays', 'coldDays']}
      isComplete={tenant.trim() !== '' && /^\d*$/.test(files.trim() + vectors.trim() + learning.trim() + cold.trim())}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          {setting ? null : <TenantField value={tenant} error={errorOf('tenant')} onChange={setTenant} />}
          <TextField
            label="Keep files for (days)"
            help="Days after the end of a job. Empty: for ever. The next run removes older files; jobs on hold keep theirs."
            value={files}
            error={errorOf('filesDays')}
            inputMode="numeric"
            onChange={({ target }) => setFiles(target.value)}
          />
          <TextField
            label="Keep vectors for (days)"
            help="Empty: as long as the files."
            value={vectors}
            error={errorOf('vectorsDays')}
            inputMode="numeric"
            onChange={({ target }) => setVectors(target.value)}
          />
          <TextField
            label="Keep learning traces for (days)"
            help="Empty: for ever. Promoted ones are kept in any case."
            value={learning}
            error={errorOf('learningDays')}
            inputMode="numeric"
            onChange={({ target }) => setLearning(target.value)}
          />
          <TextField
            label="Move events to cold storage after (days)"
            help="Empty: never. Needs a cold storage (PHASELINE_COLD_STORAGE). Jobs can still be read."
            value={cold}
            error={errorOf('coldDays')}
            inputMode="numeric"
            onChange={({ target }) => setCold(target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

function parseDays(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
