import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

const count = z.int().min(0);

/** Work that a process holds. */
const leaseRecordSchema = z.object({ jobId: jobIdSchema, phase: z.int().min(1), callId: z.string().optional() });

/** A process of the system, according to its last heartbeat. */
const processRecordSchema = z
  .object({
    processId: z.string(),
    service: z.string(),
    host: z.string(),
    /** Number of the process on its host, if its id contains it. */
    pid: z.int().optional(),
    version: z.string(),
    startedAt: z.iso.datetime(),
    heartbeatAt: z.iso.datetime(),
    heartbeatAgeMs: count,
    /** Whether it counts as dead, so that others take over its work. */
    isDead: z.boolean(),
    /** Problems that keep it from working. */
    problems: z.array(z.string()),
    /** Work of tenants that the caller may see. */
    leases: z.array(leaseRecordSchema),
    /** Number of leases of other tenants. */
    otherLeases: count,
  })
  .meta({ id: 'Process' });
export type ProcessRecord = z.infer<typeof processRecordSchema>;

export const processListSchema = z.object({ items: z.array(processRecordSchema) }).meta({ id: 'ProcessList' });
export type ProcessList = z.infer<typeof processListSchema>;
