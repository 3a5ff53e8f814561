import type { EventRow, JobStateResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useState } from 'react';
import { TabPanel } from '../ui/tab-panel.js';
import { StatePanel } from './state-panel.js';

const tabs = [{ name: 'state', title: 'State' }] as const;

/** What the screen shows beside the events, as of the slider. */
export function JobPanels({
  jobId,
  state,
}: {
  readonly jobId: JobId;
  readonly state: JobStateResponse;
  /** The event at the slider; undefined until it is loaded. */
  readonly row: EventRow | undefined;
}) {
  const [current, setCurrent] = useState<(typeof tabs)[number]['name']>('state');
  return (
    <TabPanel label="Details of the job" tabs={tabs} current={current} onChange={setCurrent}>
      <StatePanel jobId={jobId} state={state} />
    </TabPanel>
  );
}
