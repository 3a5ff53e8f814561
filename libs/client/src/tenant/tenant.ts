import { z } from 'zod';

const count = z.int().min(0);

/** Name of a tenant. It can be used unescaped in a URL and in a metric label. */
export const tenantNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected letters, digits and . _ -, at most 63');

/** A tenant, or `*` for all tenants. */
export const tenantOrAllSchema = z.string().refine((text) => text === '*' || tenantNameSchema.safeParse(text).success, {
  error: 'expected the name of a tenant, or * for all tenants',
});

export const tenantSchema = z
  .object({
    tenant: z.string(),
    /** Number of running phases. */
    runningPhases: count,
    /** Number of jobs that wait for a slot for their next phase. */
    waitingJobs: count,
    /** Maximum number of running phases; missing if there is no limit. */
    maxRunningPhases: count.optional(),
    /** Actor that set the limit at run time; missing if the limit comes from the configuration. */
    limitSetBy: z.string().optional(),
    limitSetAt: z.iso.datetime().optional(),
    /** Longest time that a job has been waiting, in milliseconds; missing if none is waiting. */
    longestWaitMs: count.optional(),
  })
  .meta({ id: 'Tenant' });
export type Tenant = z.infer<typeof tenantSchema>;

export const tenantListSchema = z.object({ items: z.array(tenantSchema) }).meta({ id: 'TenantList' });
export type TenantList = z.infer<typeof tenantListSchema>;

export const setTenantRequestSchema = z
  .strictObject({
    /** Maximum number of running phases. 0 starts no further phases; null restores the configured limit. */
    maxRunningPhases: z.int().min(0).max(1_000_000).nullable(),
  })
  .meta({ id: 'SetTenantRequest' });
export type SetTenantRequest = z.infer<typeof setTenantRequestSchema>;
