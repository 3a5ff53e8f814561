import { z } from 'zod';
import { jobStatusSchema } from '@phaseline/contracts';
import { jobWaitKindSchema } from './job-wait.js';

const countsOf = <Value extends z.ZodType>(value: Value) => z.array(z.object({ value, jobs: z.int().min(0) }));

/** Numbers of jobs by their values, most frequent first. Of agents and tenants, at most 200. */
export const jobFacetsSchema = z
  .object({
    statuses: countsOf(jobStatusSchema),
    agents: countsOf(z.string()),
    tenants: countsOf(z.string()),
    waitsFor: countsOf(jobWaitKindSchema),
  })
  .meta({ id: 'JobFacets' });
export type JobFacets = z.infer<typeof jobFacetsSchema>;
