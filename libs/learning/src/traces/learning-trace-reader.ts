import type { JobId } from '@phaseline/contracts';

/** Who reads: an agent of a job, or a person with tenants. */
export type LearningTraceReader =
  | { readonly jobId: JobId; readonly tenant: string; readonly project: string }
  | { readonly tenants: 'all' | readonly string[] };

/** What a reader may see of the learning traces `t`, by the first three parameters of the query. */
export const VISIBLE = `($1::text[] IS NULL OR t.tenant = ANY ($1))
  AND ($2::uuid IS NULL OR t.job_id = $2 OR t.scope = 'universal' OR (t.scope = 'project' AND t.project = $3))`;

/** The first three parameters of a query with {@link VISIBLE}. */
export function toReaderParameters(reader: LearningTraceReader): unknown[] {
  if ('tenants' in reader) return [reader.tenants === 'all' ? null : [...reader.tenants], null, null];
  return [[reader.tenant], reader.jobId, reader.project];
}
