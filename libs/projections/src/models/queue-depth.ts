import type { JobId } from '@phaseline/contracts';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const queueDepthModel: ReadModel = {
  name: 'queue_depth',
  key: ['job_id', 'queue', 'minute'],
  columns: ['due', 'done'],
  summedColumns: ['due', 'done'],
};

/** Queues whose due work can be derived from the log. */
const dueQueues = ['strategic', 'tactical', 'tools'] as const;
export type DueQueue = (typeof dueQueues)[number];

export interface QueueDepthRow {
  readonly job_id: JobId;
  readonly queue: DueQueue;
  /** The minute in which the work became due or was done, truncated. */
  readonly minute: string;
  readonly due: number;
  readonly done: number;
}

/**
 * Returns how many units of a job's work are due on a queue. A phase is due to a worker, taken or not, unless it is
 * paused or waits for tools or a person. Each of its remote calls is due to a tool-runner, even while the phase is
 * paused.
 */
function countDue(view: JobView | undefined, queue: DueQueue): number {
  if (!view?.phase || view.phase.hasEnded || view.endedAt !== undefined) return 0;
  const { kind, openCalls, awaitingApproval, awaitingAnswer } = view.phase;
  const waits = awaitingApproval.length > 0 || awaitingAnswer.length > 0;
  const tools = openCalls.reduce((sum, { lane }) => sum + (lane === 'remote' ? 1 : 0), 0);
  if (queue === 'tools') return tools;
  return kind === queue && tools === 0 && !waits && view.status !== 'paused' ? 1 : 0;
}

/** Counts the work that became due or was done by a change. */
export function addQueueDepth(
  rows: Rows<QueueDepthRow>,
  before: JobView | undefined,
  after: JobView,
  { jobId, recordedAt }: ViewChange,
): void {
  for (const queue of dueQueues) {
    const difference = countDue(after, queue) - countDue(before, queue);
    if (difference === 0) continue;
    const minute = `${recordedAt.slice(0, 10)} ${recordedAt.slice(11, 16)}:00+00`;
    const key = `${jobId}/${queue}/${minute}`;
    const row = rows.get(key);
    const due = (row?.due ?? 0) + Math.max(0, difference);
    const done = (row?.done ?? 0) + Math.max(0, -difference);
    rows.set(key, { job_id: jobId, queue, minute, due, done });
  }
}
