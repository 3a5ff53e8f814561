import { routes, type JobStateResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Code } from '../../ui/code.js';
import { Dialog, DialogActions } from '../../ui/dialog.js';
import { formatBytes } from '../../ui/format.js';
import { Empty } from '../../ui/notice.js';
import { Patch } from '../../ui/patch.js';
import { QueryView } from '../../ui/query-view.js';
import { TabPanel } from '../../ui/tab-panel.js';
import { readBeginning } from './read-beginning.js';
import type { FilePatch } from './use-changes.js';

/** Most bytes of a file that the page shows; the whole file can be downloaded. */
const MAX_SHOWN_BYTES = 200 * 1024;

const views = [
  { name: 'changes', title: 'Changes' },
  { name: 'content', title: 'Content' },
] as const;

/** A file at the slider: what changed in it, and its content. */
export function FileDialog({
  jobId,
  path,
  state,
  patch,
  since,
  onClose,
}: {
  readonly jobId: JobId;
  readonly path: string;
  readonly state: JobStateResponse;
  readonly patch: FilePatch | undefined;
  readonly since: string;
  readonly onClose: () => void;
}) {
  const file = state.files.find((candidate) => candidate.path === path);
  const [view, setView] = useState<(typeof views)[number]['name']>(patch === undefined ? 'content' : 'changes');
  return (
    <Dialog title={path} onClose={onClose} wide>
      <TabPanel label="Views of the file" tabs={views} current={view} onChange={setView}>
        {view === 'changes' ? <Changes {...{ path, patch, since }} /> : null}
        {view === 'content' && file === undefined ? <Empty>The file does not exist at this event.</Empty> : null}
        {view === 'content' && file !== undefined ? (
          <Content {...{ jobId, path, position: state.position, hash: file.hash, size: file.size }} />
        ) : null}
      </TabPanel>
      <DialogActions>
        {file === undefined ? null : (
          <a className="button button-plain" href={`${routes.jobFile(jobId, path)}?at=${state.position}`} download>
            Download {formatBytes(file.size)}
          </a>
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

const omissions: Readonly<Record<NonNullable<FilePatch['omittedBecause']>, string>> = {
  'too-large': 'The file is too large to compare.',
  'not-text': 'The file is not text, so that its changes cannot be shown.',
  'too-different': 'Too much changed to compare line by line.',
  'too-many': 'Too many files changed to compare all of them. Choose a shorter time.',
};

function Changes({
  path,
  patch,
  since,
}: {
  readonly path: string;
  readonly patch: FilePatch | undefined;
  readonly since: string;
}) {
  if (patch === undefined) return <Empty>Nothing changed in this file since {since}.</Empty>;
  if (patch.patch === undefined) return <Empty>{omissions[patch.omittedBecause ?? 'too-large']}</Empty>;
  return <Patch label={`Changes of ${path} since ${since}`} patch={patch.patch} />;
}

function Content({
  jobId,
  path,
  position,
  hash,
  size,
}: {
  readonly jobId: JobId;
  readonly path: string;
  readonly position: number;
  readonly hash: string;
  readonly size: number;
}) {
  const content = useQuery({
    queryKey: ['job', jobId, 'file', path, hash],
    queryFn: async ({ signal }) =>
      readBeginning(await client.streamFile(jobId, path, { at: position, signal }), MAX_SHOWN_BYTES),
    staleTime: Infinity,
    meta: { isFinal: true },
    gcTime: 10_000,
  });
  return (
    <QueryView query={content}>
      {({ text, isCut }) => {
        if (text === undefined) return <Empty>The file is not text. Download it to open it.</Empty>;
        if (size === 0) return <Empty>The file is empty.</Empty>;
        return (
          <div className="stack-small">
            {isCut ? (
              <p className="muted">
                The first {formatBytes(MAX_SHOWN_BYTES)} of {formatBytes(size)}. Download the file to see all of it.
              </p>
            ) : null}
            <Code label={`Content of ${path}`} text={text} maxHeight={480} />
          </div>
        );
      }}
    </QueryView>
  );
}
