import { jobIdSchema, wellFormedText } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';
import { tenantNameSchema } from '../tenant/tenant.js';

/** Why a hold is placed or released. Recorded in the log. */
const reason = wellFormedText().trim().min(1).max(2_000);

/** A legal hold on a job: nothing of the job is removed or erased until the hold is released. */
const holdSchema = z
  .object({
    jobId: jobIdSchema,
    tenant: z.string(),
    /** Principal who placed the hold. */
    actor: z.string(),
    /** Missing if the job is encrypted and the server cannot decrypt it. */
    reason: z.string().optional(),
    placedAt: z.iso.datetime(),
  })
  .meta({ id: 'Hold' });
export type HoldRecord = z.infer<typeof holdSchema>;

/** Query of `GET /v1/holds`. */
export const holdsQuerySchema = z
  .strictObject({
    /** Only the hold on this job. */
    jobId: jobIdSchema.optional(),
    /** Only holds on jobs of this tenant. */
    tenant: tenantNameSchema.optional(),
    /** `nextCursor` of the previous page. Opaque. */
    cursor: z.string().min(1).max(500).optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'HoldsQuery' });
export type HoldsQuery = z.infer<typeof holdsQuerySchema>;

/** A page of holds, oldest first. */
export const holdPageSchema = z
  .object({ items: z.array(holdSchema), nextCursor: z.string().optional() })
  .meta({ id: 'HoldPage' });
export type HoldPage = z.infer<typeof holdPageSchema>;

/** Body of a request that places a hold. */
export const holdRequestSchema = z.strictObject({ reason }).meta({ id: 'HoldRequest' });
export type HoldRequest = z.infer<typeof holdRequestSchema>;

/** Query of a request that releases a hold. */
export const releaseHoldQuerySchema = z.strictObject({ reason });
export type ReleaseHoldQuery = z.infer<typeof releaseHoldQuerySchema>;

/** Result of a request that places or releases a hold. */
export const holdResponseSchema = z
  .object({
    jobId: jobIdSchema,
    /** Whether the job is on hold now. */
    held: z.boolean(),
    /** False if the job was on hold, or not on hold, before. */
    changed: z.boolean(),
  })
  .meta({ id: 'HoldResponse' });
export type HoldResponse = z.infer<typeof holdResponseSchema>;
