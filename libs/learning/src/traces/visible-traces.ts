import type { JobId, LearningAction, LearningTraceScope, LearningTraceType } from '@phaseline/contracts';

/** Who reads: an agent of a job, or a person with tenants. */
export type LearningTraceReader =
  | { readonly jobId: JobId; readonly tenant: string; readonly project: string }
  | { readonly tenants: 'all' | readonly string[] };

export interface LearningTraceFilter {
  readonly type?: LearningTraceType | undefined;
  readonly action?: LearningAction | undefined;
  readonly agent?: string | undefined;
  readonly project?: string | undefined;
  readonly scope?: LearningTraceScope | undefined;
  readonly jobId?: JobId | undefined;
  /** Whether to return only those that a person promoted. */
  readonly isPromoted?: true | undefined;
}

/** What a reader may see: the first three parameters of every query. */
export const VISIBLE = `($1::text[] IS NULL OR t.tenant = ANY ($1))
  AND ($2::uuid IS NULL OR t.job_id = $2 OR t.scope = 'universal' OR (t.scope = 'project' AND t.project = $3))`;

/** The parameters 4 to 10. */
export const FILTERED = `($4::text IS NULL OR t.type = $4) AND ($5::text IS NULL OR t.agent = $5) AND ($6::text IS NULL OR t.project = $6)
  AND ($7::text IS NULL OR t.scope = $7) AND ($8::uuid IS NULL OR t.job_id = $8)
  AND (NOT $9::boolean OR t.scope <> 'job') AND ($10::text IS NULL OR t.action = $10)`;

export function toReaderParameters(reader: LearningTraceReader): unknown[] {
  if ('tenants' in reader) return [reader.tenants === 'all' ? null : [...reader.tenants], null, null];
  return [[reader.tenant], reader.jobId, reader.project];
}

export function toFilterParameters(filter: LearningTraceFilter): unknown[] {
  const { type, agent, project, scope, jobId, isPromoted = false, action } = filter;
  return [...[type, agent, project, scope, jobId].map((value) => value ?? null), isPromoted, action ?? null];
}
