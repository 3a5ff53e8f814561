import { z } from 'zod';
import { queryInteger, queryList } from '../http/query-values.js';
import { jobStatusSchema } from '@phaseline/contracts';
import { jobSummarySchema } from './job-summary.js';

/** Query of `GET /v1/jobs`. Filters are combined with AND; several values of `status` with OR. */
export const listJobsQuerySchema = z
  .strictObject({
    statuses: queryList(jobStatusSchema, 20).optional(),
    agent: z.string().min(1).max(100).optional(),
    /** `key` matches jobs that have the label; `key=value` those whose label has that value. */
    label: z.string().min(1).max(300).optional(),
    /** `nextCursor` of the previous page. Opaque. */
    cursor: z.string().min(1).max(500).optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'ListJobsQuery' });
export type ListJobsQuery = z.infer<typeof listJobsQuerySchema>;

/** A page of jobs, newest first. */
export const jobPageSchema = z
  .object({ items: z.array(jobSummarySchema), nextCursor: z.string().optional() })
  .meta({ id: 'JobPage' });
export type JobPage = z.infer<typeof jobPageSchema>;

/** Splits the `label` filter at its first `=`. */
export function parseLabelFilter(label: string): { readonly key: string; readonly value?: string } {
  const at = label.indexOf('=');
  return at < 0 ? { key: label } : { key: label.slice(0, at), value: label.slice(at + 1) };
}
