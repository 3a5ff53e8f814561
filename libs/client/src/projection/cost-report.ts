import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';
import { usageSchema } from '../job/job-summary.js';

export const costGroups = ['agent', 'model', 'day', 'tenant', 'job'] as const;

/** The query of `GET /v1/costs`. Days are those of UTC, both ends included. */
export const costsQuerySchema = z
  .strictObject({
    by: z.enum(costGroups).default('agent'),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    limit: queryInteger({ min: 1, max: 1_000 }).default(200),
  })
  .meta({ id: 'CostsQuery' });
export type CostsQuery = z.infer<typeof costsQuerySchema>;

export const costGroupSchema = z.object({ key: z.string(), usage: usageSchema }).meta({ id: 'CostGroup' });
export type CostGroup = z.infer<typeof costGroupSchema>;

/** What models took. The most expensive first; days in their order. */
export const costReportSchema = z
  .object({
    by: z.enum(costGroups),
    items: z.array(costGroupSchema),
    /** Of all groups, also of those beyond the limit. */
    total: usageSchema,
  })
  .meta({ id: 'CostReport' });
export type CostReport = z.infer<typeof costReportSchema>;
