import { z } from 'zod';
import { wellFormedText } from '../submit/well-formed-text.js';

const count = z.int().min(0);

/** What may stand in a URL and in a label of a metric as it is. */
export const tenantNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected letters, digits and . _ -, at most 63');

export const tenantSchema = z
  .object({
    tenant: z.string(),
    /** Phases under way. */
    active: count,
    /** Jobs that wait for a slot for their next phase. */
    waiting: count,
    /** How many phases may be under way at once; missing when only the workers bound it. */
    maxPhases: count.optional(),
    /** Who set the limit while the system ran, and when; missing when it comes from the configuration. */
    setBy: z.object({ actor: z.string(), at: z.iso.datetime() }).optional(),
    /** How long the job has waited that waits longest; missing when none does. */
    longestWaitMs: count.optional(),
  })
  .meta({ id: 'Tenant' });
export type Tenant = z.infer<typeof tenantSchema>;

export const tenantListSchema = z.object({ tenants: z.array(tenantSchema) }).meta({ id: 'TenantList' });
export type TenantList = z.infer<typeof tenantListSchema>;

export const setTenantRequestSchema = z
  .strictObject({
    /** 0 lets no further phase begin; null gives the word back to the configuration. */
    maxPhases: z.int().min(0).max(1_000_000).nullable(),
    /** Who asks, for the audit. */
    actor: wellFormedText().min(1).max(200).optional(),
  })
  .meta({ id: 'SetTenantRequest' });
export type SetTenantRequest = z.infer<typeof setTenantRequestSchema>;
