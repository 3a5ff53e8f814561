import type { RetentionRunJobRecord, RetentionRunRecord, TableCleaningRecord } from '@phaseline/client';
import type { RetentionRun, RetentionRunJob, TableCleaning } from '@phaseline/orchestration';

export function toRunRecord({
  tenants,
  requestedAt,
  startedAt,
  endedAt,
  failure,
  ...run
}: RetentionRun): RetentionRunRecord {
  return {
    ...run,
    status: statusOf({ startedAt, endedAt, failure }),
    requestedAt: requestedAt.toISOString(),
    ...(tenants === 'all' ? {} : { tenants: [...tenants] }),
    ...(startedAt ? { startedAt: startedAt.toISOString() } : {}),
    ...(endedAt ? { endedAt: endedAt.toISOString() } : {}),
    ...(failure === null ? {} : { failure }),
  };
}

export function toRunJob({ jobId, tenant, outcome }: RetentionRunJob): RetentionRunJobRecord {
  return { jobId, tenant, ...outcome };
}

export function toTableCleaning({ table, keptDays, endedAt, removed }: TableCleaning): TableCleaningRecord {
  return { table, keptDays, endedAt: endedAt?.toISOString() ?? null, removed };
}

function statusOf({
  startedAt,
  endedAt,
  failure,
}: Pick<RetentionRun, 'startedAt' | 'endedAt' | 'failure'>): RetentionRunRecord['status'] {
  if (!startedAt) return 'waiting';
  if (!endedAt) return 'running';
  return failure === null ? 'completed' : 'failed';
}
