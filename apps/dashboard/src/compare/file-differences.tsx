import { FileNotFound, type JobComparisonResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable } from '../ui/data-table.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Diff } from '../ui/diff.js';
import { formatBytes } from '../ui/format.js';
import { QueryView } from '../ui/query-view.js';

interface FileRow {
  readonly path: string;
  readonly left?: number;
  readonly right?: number;
}

/** The files that only one job has, or that differ. */
export function FileDifferences({ data }: { readonly data: JobComparisonResponse }) {
  const [path, setPath] = useState<string>();
  const { files, left, right } = data;
  const rows: readonly FileRow[] = [
    ...files.changed.map((file) => ({ path: file.path, left: file.from.size, right: file.to.size })),
    ...files.added.map((file) => ({ path: file.path, right: file.size })),
    ...files.removed.map((file) => ({ path: file.path, left: file.size })),
  ].sort((a, b) => a.path.localeCompare(b.path));
  return (
    <Card title="Files that differ">
      {rows.length === 0 ? (
        <p>Both jobs have the same files.</p>
      ) : (
        <DataTable
          label="Files that differ"
          rows={rows}
          rowKey={(row) => row.path}
          columns={[
            {
              key: 'path',
              title: 'Path',
              render: (row) => (
                <Button variant="quiet" onClick={() => setPath(row.path)}>
                  {row.path}
                </Button>
              ),
            },
            { key: 'left', title: 'Left', isNumber: true, render: (row) => describeSize(row.left) },
            { key: 'right', title: 'Right', isNumber: true, render: (row) => describeSize(row.right) },
          ]}
        />
      )}
      {path === undefined ? null : (
        <FileDialog path={path} left={left.jobId} right={right.jobId} onClose={() => setPath(undefined)} />
      )}
    </Card>
  );
}

function describeSize(bytes: number | undefined): string {
  return bytes === undefined ? 'missing' : formatBytes(bytes);
}

function FileDialog({
  path,
  left,
  right,
  onClose,
}: {
  readonly path: string;
  readonly left: JobId;
  readonly right: JobId;
  readonly onClose: () => void;
}) {
  const texts = useQuery({
    queryKey: ['jobs', 'compared-file', left, right, path],
    queryFn: ({ signal }) => Promise.all([readOrEmpty(left, path, signal), readOrEmpty(right, path, signal)]),
  });
  return (
    <Dialog title={path} onClose={onClose} wide>
      <QueryView query={texts}>
        {([before, after]) => <Diff label={`Differences of ${path}`} before={before} after={after} />}
      </QueryView>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

async function readOrEmpty(jobId: JobId, path: string, signal: AbortSignal): Promise<string> {
  return client.readText(jobId, path, { signal }).catch((error: unknown) => {
    if (error instanceof FileNotFound) return '';
    throw error;
  });
}
