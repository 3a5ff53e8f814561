import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

const bytes = z.int().min(0);

export const commandStopped = defineEvent(
  'CommandStopped',
  1,
  'A command reached one of its limits and was ended with all its processes.',
  z.object({
    callId: callIdSchema,
    limit: z.enum(['time', 'memory', 'processes', 'disk', 'output']),
    /** Value of the limit. */
    value: z.int().min(0),
    unit: z.enum(['ms', 'bytes', 'processes']),
  }),
);

export const connectionRecorded = defineEvent(
  'ConnectionRecorded',
  1,
  'A command or an MCP server connected to a host, or was refused.',
  z.object({
    callId: callIdSchema,
    host: z.string(),
    port: z.int().min(0).max(65_535),
    bytesSent: bytes,
    bytesReceived: bytes,
    outcome: z.enum(['allowed', 'refused', 'failed']),
    /** Why it was refused or failed. */
    reason: z.string().optional(),
  }),
);

export const protectedChangeUndone = defineEvent(
  'ProtectedChangeUndone',
  1,
  'A tool that had already run had changed a protected file or field, or a file that a guard keeps it from. The change was not taken in, and the agent was told.',
  z.object({
    callId: callIdSchema,
    path: z.string(),
    /** Which field was changed, and who may change it. */
    reason: z.string(),
  }),
);
