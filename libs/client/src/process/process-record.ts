import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

const count = z.int().min(0);

/** Work that a process holds. */
const leaseRecordSchema = z.object({ jobId: jobIdSchema, phase: z.int().min(1), callId: z.string().optional() });

/** How a process contains commands, or why it refuses them. */
export const sandboxRecordSchema = z
  .object({
    /** How commands are contained; null if they are refused. */
    mechanism: z.enum(['bubblewrap', 'unshare', 'container', 'none']).nullable(),
    /** What limits memory and processes. */
    limitedBy: z.string().optional(),
    /** Whether a filter of system calls is installed. */
    hasFilter: z.boolean().optional(),
    /** Why nothing better is used. */
    reasons: z.array(z.string()),
  })
  .meta({ id: 'Sandbox' });
export type SandboxRecord = z.infer<typeof sandboxRecordSchema>;

/** A process of the system, according to its last heartbeat. */
const processRecordSchema = z
  .object({
    processId: z.string(),
    service: z.string(),
    host: z.string(),
    /** Number of the process on its host; missing if its release does not report it. */
    pid: z.int().optional(),
    /** Queues whose messages it handles; missing if its release does not report them. */
    queues: z.array(z.string()).optional(),
    /** Messages that it handles, and how many it may handle concurrently; missing if its release does not report them. */
    load: z.object({ running: count, concurrency: count }).optional(),
    version: z.string(),
    /** When the operating system started it. */
    startedAt: z.iso.datetime(),
    /** When it was last heard of. */
    heartbeatAt: z.iso.datetime(),
    heartbeatAgeMs: count,
    /** Whether it counts as dead, so that others take over its work. */
    isDead: z.boolean(),
    /** Problems that keep it from working. */
    problems: z.array(z.string()),
    /** For a tool-runner. */
    sandbox: sandboxRecordSchema.optional(),
    /** Work of tenants that the caller may see. */
    leases: z.array(leaseRecordSchema),
    /** Number of leases of other tenants. */
    otherLeases: count,
  })
  .meta({ id: 'Process' });
export type ProcessRecord = z.infer<typeof processRecordSchema>;

export const processListSchema = z.object({ items: z.array(processRecordSchema) }).meta({ id: 'ProcessList' });
export type ProcessList = z.infer<typeof processListSchema>;
