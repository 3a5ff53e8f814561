import { jsonObjectSchema } from '@phaseline/basics';
import { callIdSchema, jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { spendingSchema, unconfirmedSchema } from '../budget/spending.js';
import { defineEvent } from '../event/define-event.js';

const childFileSchema = z.object({ path: z.string(), hash: z.string(), size: z.int().min(0) });

const childJobRequested = defineEvent(
  'ChildJobRequested',
  2,
  'A call delegated a task to another agent. The phase waits until the child job has ended.',
  z.object({
    callId: callIdSchema,
    agent: z.string(),
    task: z.string(),
    successCriteria: z.string().optional(),
    /** Parameters of the child job; not in version 1. */
    parameters: jsonObjectSchema.optional(),
    /** Paths of files in the workspace that the child job gets as documents, with their content at that time. */
    inputs: z.array(childFileSchema),
    /** Maximum size of the summary, in tokens. */
    maxTokens: z.int().min(1),
    /** Wall time of the child job in milliseconds, from its first phase. */
    timeoutMs: z.int().min(1),
    /** Share of the remaining budget that is reserved for the child job, as an upper bound of what it may use. 0 without a budget. */
    reserved: unconfirmedSchema,
    /** Which parts of the share limit the child job: those for which this job has a budget. */
    limits: z.object({ costMicroUsd: z.int().min(0).optional(), tokens: z.int().min(0).optional() }),
  }),
);

const childJobEnded = defineEvent(
  'ChildJobEnded',
  1,
  'A child job ended, or could not be submitted. The call that delegated the task is due to return the summary.',
  z.object({
    callId: callIdSchema,
    /** Absent if the child job could not be submitted. */
    childJobId: jobIdSchema.optional(),
    outcome: z.enum(['completed', 'failed', 'cancelled', 'refused']),
    code: z.string().optional(),
    /** What the child job says about its result, or why there is none. */
    summary: z.string(),
    /** The files below `output/` of the child job. */
    files: z.array(childFileSchema),
    /** Number of further files, which the parent does not get. */
    omittedFiles: z.int().min(0),
    /** What was reserved, and is released by this event. */
    reserved: unconfirmedSchema,
    spending: spendingSchema,
    unconfirmed: unconfirmedSchema,
  }),
);

export const delegationEventDefinitions = [childJobRequested, childJobEnded] as const;
