import { callIdSchema, jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { lineSourceSchema } from '../explain/explanation.js';
import { queryInteger, queryPosition } from '../http/query-values.js';
import { jobFailureSchema } from '../job/job-summary.js';

const count = z.int().min(0);

/** Kinds of what waits for a person. Newer servers may have more. */
export const inboxKinds = ['approval', 'question', 'blocked-job', 'blocked-todo'] as const;

/** Query of `GET /v1/inbox`. */
export const inboxQuerySchema = z
  .strictObject({
    /** Only what this job waits for. */
    jobId: jobIdSchema.optional(),
    kind: z.enum(inboxKinds).optional(),
    /** Only what jobs of this tenant wait for. */
    tenant: z.string().min(1).max(100).optional(),
    /** Only what jobs of this agent wait for. */
    agent: z.string().min(1).max(100).optional(),
    /** Only entries after this position: `nextAfter` of the previous page. */
    after: queryPosition().default(0),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'InboxQuery' });
export type InboxQuery = z.infer<typeof inboxQuerySchema>;

/** A tool call that waits for approval. */
const inboxApprovalSchema = z
  .object({
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    /** An approval names this hash, so that it cannot apply to other arguments. */
    argumentsHash: z.string(),
    /** Why a guard asks a person; absent if the agent lets a person decide about each call of the tool. */
    reason: z.string().optional(),
    /** What guards changed in the arguments of the model, or say about the call. */
    guardNotes: z.array(z.string()).optional(),
    /** What the texts in the arguments cite: quotations, stored sources, and files of the workspace. */
    sources: z.array(lineSourceSchema).optional(),
    /** What the call would change in a file of the workspace, for tools that write, edit or delete one. */
    change: z
      .object({
        path: z.string(),
        /** Unified diff. */
        patch: z.string().optional(),
        /** Why there is no diff. */
        omittedBecause: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'InboxApproval' });

const inboxQuestionSchema = z
  .object({
    text: z.string(),
    options: z.array(z.string()).optional(),
    /** JSON Schema of the answer. */
    schema: z.record(z.string(), z.unknown()).optional(),
    /** The answer that applies if nobody answers in time. */
    default: z.unknown().optional(),
    /** An answer names this hash, so that it cannot reach another question. */
    questionHash: z.string(),
  })
  .meta({ id: 'InboxQuestion' });

/** A todo that a running job cannot do. Its agent continues with the others. */
const inboxTodoSchema = z
  .object({
    id: z.int(),
    content: z.string(),
    /** Why it cannot be done, in the words of the agent. */
    reason: z.string(),
  })
  .meta({ id: 'InboxTodo' });

/** Something that waits for a person. */
const inboxItemSchema = z
  .object({
    kind: z.string(),
    jobId: jobIdSchema,
    tenant: z.string(),
    agent: z.string(),
    phase: z.int().min(1),
    /** The call that waits, for an approval or a question. */
    callId: callIdSchema.optional(),
    /** Position of the event with which the wait began. */
    position: count,
    /** When the wait began. */
    askedAt: z.iso.datetime(),
    /** When an approval expires or a question times out. */
    deadlineAt: z.iso.datetime().optional(),
    /** Set for an approval, unless the content of its job cannot be read. */
    approval: inboxApprovalSchema.optional(),
    /** Set for a question, unless the content of its job cannot be read. */
    question: inboxQuestionSchema.optional(),
    /** Set for a blocked todo, unless the content of its job cannot be read. */
    todo: inboxTodoSchema.optional(),
    /** Set for a blocked job, unless its content cannot be read: why it ended. `POST /v1/jobs/:id/retry` continues it. */
    blocked: jobFailureSchema.optional(),
    /** Why the content of the job cannot be read. */
    unreadableReason: z.string().optional(),
  })
  .meta({ id: 'InboxItem' });
export type InboxItem = z.infer<typeof inboxItemSchema>;

export const inboxPageSchema = z
  .object({
    /** Oldest first. */
    items: z.array(inboxItemSchema),
    /** Absent on the last page. */
    nextAfter: count.optional(),
  })
  .meta({ id: 'InboxPage' });
export type InboxPage = z.infer<typeof inboxPageSchema>;
