import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';
import { usageSchema } from '../job/job-summary.js';

export const costGroups = ['agent', 'model', 'day', 'tenant', 'job'] as const;

/** A day, or the present one by the clock of the database, because that of a browser may be wrong. */
const day = z.union([z.iso.date(), z.literal('today')]);

/** Query of `GET /v1/costs`. `from` and `to` are UTC days, both inclusive. */
export const costsQuerySchema = z
  .strictObject({
    by: z.enum(costGroups).default('agent'),
    from: day.optional(),
    to: day.optional(),
    limit: queryInteger({ min: 1, max: 1_000 }).default(200),
  })
  .meta({ id: 'CostsQuery' });
export type CostsQuery = z.infer<typeof costsQuerySchema>;

export const costGroupSchema = z.object({ key: z.string(), usage: usageSchema }).meta({ id: 'CostGroup' });
export type CostGroup = z.infer<typeof costGroupSchema>;

/** Model usage per group, the most expensive first; days in chronological order. */
export const costReportSchema = z
  .object({
    by: z.enum(costGroups),
    items: z.array(costGroupSchema),
    /** Total of all groups, including those beyond the limit. */
    total: usageSchema,
  })
  .meta({ id: 'CostReport' });
export type CostReport = z.infer<typeof costReportSchema>;
