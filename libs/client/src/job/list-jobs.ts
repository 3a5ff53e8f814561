import { z } from 'zod';
import { queryInteger, queryList } from '../http/query-values.js';
import { jobStatusSchema, wellFormedText } from '@phaseline/contracts';
import { jobWaitKindSchema } from './job-wait.js';
import { jobSummarySchema } from './job-summary.js';

const name = z.string().min(1).max(100);
const label = z.string().min(1).max(300);
const time = z.iso.datetime({ offset: true });
const costMicroUsd = () => queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** Conditions on jobs. They are combined with AND; several values of one condition with OR, except labels. */
const conditions = {
  statuses: queryList(jobStatusSchema, 20).optional(),
  /** One agent; `agents` takes several. */
  agent: name.optional(),
  agents: queryList(name, 50).optional(),
  tenants: queryList(name, 50).optional(),
  /** `key` matches jobs that have the label; `key=value` those whose label has that value. */
  label: label.optional(),
  /** Jobs that have all these labels. Repeat the parameter: a comma is part of a value. */
  labels: z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(label).max(10)).optional(),
  /** Submitted at or after this time, and before that time. */
  createdSince: time.optional(),
  createdBefore: time.optional(),
  /** Nothing happened since this time. */
  updatedBefore: time.optional(),
  minCostMicroUsd: costMicroUsd().optional(),
  maxCostMicroUsd: costMicroUsd().optional(),
  /** What the jobs wait for. `person` stands for approval, question, todo, pause and blocked. */
  waitsFor: queryList(z.enum([...jobWaitKindSchema.options, 'person']), 20).optional(),
  /** Seconds for which the jobs have waited at least. */
  waitingLongerThan: queryInteger({ min: 0, max: 1_000_000_000 }).optional(),
  /**
   * Text to find, in any case: the beginning of the job id, or any part of the agent, the name of the phase, a label as
   * `key=value`, the summary of the result or the message of the failure. The content of encrypted jobs is not searched.
   */
  text: wellFormedText().min(1).max(200).optional(),
};

/** Selects the jobs of a bulk request. */
export const jobConditionsSchema = z.strictObject(conditions).meta({ id: 'JobConditions' });
export type JobConditions = z.infer<typeof jobConditionsSchema>;

/** Query of `GET /v1/jobs`. */
export const listJobsQuerySchema = z
  .strictObject({
    ...conditions,
    /** `cost`: highest first. `waiting`: longest first; only jobs that wait. */
    sort: z.enum(['newest', 'oldest', 'cost', 'waiting']).optional(),
    /** `nextCursor` of the previous page, with the same `sort`. Opaque. */
    cursor: z.string().min(1).max(500).optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'ListJobsQuery' });
export type ListJobsQuery = z.infer<typeof listJobsQuerySchema>;

/** A page of jobs. It may be short, or empty, although `nextCursor` is set: one request reads a limited number of jobs. */
export const jobPageSchema = z
  .object({ items: z.array(jobSummarySchema), nextCursor: z.string().optional() })
  .meta({ id: 'JobPage' });
export type JobPage = z.infer<typeof jobPageSchema>;

/** Splits the `label` filter at its first `=`. */
export function parseLabelFilter(label: string): { readonly key: string; readonly value?: string } {
  const at = label.indexOf('=');
  return at < 0 ? { key: label } : { key: label.slice(0, at), value: label.slice(at + 1) };
}
