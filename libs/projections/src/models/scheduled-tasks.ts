import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { TaskContent } from './schedule-content.js';

export const scheduledTasksModel: ReadModel = {
  name: 'scheduled_tasks',
  key: ['job_id', 'task'],
  columns: [
    ...['tenant', 'title', 'starts_at', 'ends_at', 'zone', 'recurrence', 'float_minutes', 'critical', 'agent'],
    ...['work_minutes', 'except_days'],
  ],
  jsonColumns: ['except_days'],
};

export interface ScheduledTaskRow extends TaskContent {
  readonly job_id: JobId;
  readonly tenant: string;
}

/** Tasks of schedules, by the content hash of the schedule. */
export type ScheduleContents = ReadonlyMap<string, readonly TaskContent[]>;

/** Returns the hash of the schedule that a change records, if its content may be shown. */
export function findRecordedSchedule({ jobId, event }: ViewChange): string | undefined {
  if (event.type !== 'PlanArtifactRecorded' || event.data.kind !== 'schedule' || isEncryptedJob(jobId))
    return undefined;
  return event.data.hash;
}

/** Replaces the tasks of a plan when a schedule is recorded: rows are those of the last one. */
export function replaceScheduledTasks(
  tasks: Map<JobId, readonly ScheduledTaskRow[]>,
  contents: ScheduleContents,
  { tenant }: JobView,
  change: ViewChange,
): void {
  const hash = findRecordedSchedule(change);
  if (hash === undefined) return;
  const { jobId: job_id } = change;
  tasks.set(
    job_id,
    (contents.get(hash) ?? []).map((task) => ({ job_id, tenant, ...task })),
  );
}
