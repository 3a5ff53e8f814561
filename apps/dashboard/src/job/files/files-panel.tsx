import type { JobStateResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.js';
import { Checkbox, SelectField } from '../../ui/field.js';
import { formatBytes, pluralise } from '../../ui/format.js';
import { Empty, ErrorNotice } from '../../ui/notice.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { FileDialog } from './file-dialog.js';
import { listFileRows, type FileRow } from './list-file-rows.js';
import { bases, useChanges, type Base } from './use-changes.js';
import './files.css';

const baseTitles: Readonly<Record<Base, string>> = {
  event: 'this event',
  phase: 'the start of the phase',
  job: 'the start of the job',
};

/** The workspace at the slider: its files, and what changed in them since the event, the phase or the job began. */
export function FilesPanel({ jobId, state }: { readonly jobId: JobId; readonly state: JobStateResponse }) {
  const [base, setBase] = useState<Base>('phase');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const [path, setPath] = useState<string>();
  const changes = useChanges(jobId, state, base);
  const rows = listFileRows(state.files, changes.data?.files);
  const changed = rows.filter(({ change }) => change !== undefined);
  const shown = isChangedOnly ? changed : rows;
  return (
    <div className="stack-small">
      <div className="files-choice">
        <SelectField
          label="Show what changed since"
          value={base}
          onChange={({ target }) => setBase(target.value as Base)}
        >
          {bases.map((name) => (
            <option key={name} value={name}>
              {baseTitles[name]}
            </option>
          ))}
        </SelectField>
        <Checkbox
          label="Only changed files"
          checked={isChangedOnly}
          onChange={({ target }) => setChangedOnly(target.checked)}
        />
      </div>
      {changes.error ? <ErrorNotice error={changes.error} onRetry={() => void changes.refetch()} /> : null}
      <p className="muted" role="status">
        {pluralise(state.files.length, 'file')}, {pluralise(changed.length, 'change')} since {baseTitles[base]}
      </p>
      {shown.length === 0 ? (
        <Empty>{rows.length === 0 ? 'The workspace is empty at this event.' : 'No file changed.'}</Empty>
      ) : (
        <FileTable rows={shown} onOpen={setPath} />
      )}
      {path === undefined ? null : (
        <FileDialog
          {...{ jobId, path, state, since: baseTitles[base] }}
          patch={changes.data?.patches?.find((patch) => patch.path === path)}
          onClose={() => setPath(undefined)}
        />
      )}
    </div>
  );
}

const changeTones: Readonly<Record<NonNullable<FileRow['change']>, readonly [Tone, string]>> = {
  new: ['ok', '+'],
  changed: ['accent', '~'],
  deleted: ['bad', '−'],
};

function FileTable({ rows, onOpen }: { readonly rows: readonly FileRow[]; readonly onOpen: (path: string) => void }) {
  return (
    <div className="files-table">
      <VirtualTable
        label="Files"
        rows={rows}
        rowKey={({ path }) => path}
        columns={[
          {
            key: 'path',
            title: 'Path',
            width: 'minmax(0, 1fr)',
            render: ({ path }) => (
              <button type="button" className="files-open" title={path} onClick={() => onOpen(path)}>
                {path}
              </button>
            ),
          },
          { key: 'change', title: 'Change', width: '96px', render: ({ change }) => <Change change={change} /> },
          { key: 'size', title: 'Size', width: '84px', isNumber: true, render: ({ size }) => formatBytes(size) },
        ]}
      />
    </div>
  );
}

function Change({ change }: { readonly change: FileRow['change'] }) {
  if (change === undefined) return null;
  const [tone, glyph] = changeTones[change];
  return (
    <Badge tone={tone} glyph={glyph}>
      {change}
    </Badge>
  );
}
