import type { JobStateResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { TabPanel } from '../ui/tab-panel.js';
import { EventPanel } from './event-panel.js';
import { FilesPanel } from './files/files-panel.js';
import { MoneyPanel } from './money-panel.js';
import type { PanelName } from './use-panel.js';
import { PromptPanel } from './prompt/prompt-panel.js';
import { StatePanel } from './state-panel.js';
import type { JobCursor } from './use-job.js';

const tabs: readonly { readonly name: PanelName; readonly title: string }[] = [
  { name: 'state', title: 'State' },
  { name: 'prompt', title: 'Prompt' },
  { name: 'files', title: 'Files' },
  { name: 'money', title: 'Money' },
  { name: 'event', title: 'Event' },
];

/** What the screen shows beside the events, as of the slider. */
export function JobPanels({
  jobId,
  state,
  cursor,
  current,
  onChange,
}: {
  readonly jobId: JobId;
  readonly state: JobStateResponse;
  readonly cursor: JobCursor;
  readonly current: PanelName;
  readonly onChange: (name: PanelName) => void;
}) {
  const panels: Readonly<Record<PanelName, () => React.ReactNode>> = {
    state: () => <StatePanel jobId={jobId} state={state} />,
    prompt: () => <PromptPanel jobId={jobId} state={state} onMove={cursor.moveToPosition} />,
    files: () => <FilesPanel jobId={jobId} state={state} />,
    money: () => <MoneyPanel state={state} />,
    event: () => <EventPanel jobId={jobId} position={state.position} />,
  };
  return (
    <TabPanel label="Details of the job" tabs={tabs} current={current} onChange={onChange}>
      {panels[current]()}
    </TabPanel>
  );
}
