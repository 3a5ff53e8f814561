import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const queueDepthModel: ReadModel = {
  name: 'queue_depth',
  key: ['job_id', 'queue', 'minute'],
  columns: ['due', 'done'],
  sums: ['due', 'done'],
};

/** The queues that the log knows work for. */
export const dueQueues = ['strategic', 'tactical', 'tools'] as const;
export type DueQueue = (typeof dueQueues)[number];

export interface QueueDepthRow {
  readonly job_id: string;
  readonly queue: DueQueue;
  /** The full minute in which it became or ceased to be due. */
  readonly minute: string;
  readonly due: number;
  readonly done: number;
}

/**
 * How much of a job is due on a queue: a phase is due to a worker, taken or not, unless it is paused or waits for tools or
 * for a person; each of its `runner` calls is due to a tool-runner, also while it is paused.
 */
export function dueOn(view: JobView | undefined, queue: DueQueue): number {
  if (!view?.phase || view.phase.over || view.endedAt !== undefined) return 0;
  const { kind, openCalls, heldCalls } = view.phase;
  const tools = openCalls.reduce((sum, { lane }) => sum + (lane === 'runner' ? 1 : 0), 0);
  if (queue === 'tools') return tools;
  return kind === queue && tools === 0 && heldCalls.length === 0 && view.status !== 'paused' ? 1 : 0;
}

/** Counts what became due by a change, and what ceased to be. */
export function addQueueDepth(
  rows: Rows<QueueDepthRow>,
  before: JobView | undefined,
  after: JobView,
  { jobId, recordedAt }: ViewChange,
): void {
  for (const queue of dueQueues) {
    const more = dueOn(after, queue) - dueOn(before, queue);
    if (more === 0) continue;
    const minute = `${recordedAt.slice(0, 10)} ${recordedAt.slice(11, 16)}:00+00`;
    const key = `${jobId}/${queue}/${minute}`;
    const row = rows.get(key);
    const due = (row?.due ?? 0) + Math.max(0, more);
    const done = (row?.done ?? 0) + Math.max(0, -more);
    rows.set(key, { job_id: jobId, queue, minute, due, done });
  }
}
