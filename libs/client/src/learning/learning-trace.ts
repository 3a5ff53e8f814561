import {
  jobIdSchema,
  learningActions,
  learningReasons,
  learningTraceScopes,
  learningTraceSources,
  learningTraceTypes,
  wellFormedText,
} from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';

const MAX_NAME_CHARACTERS = 200;
const MAX_TEXT_CHARACTERS = 500;
const name = z.string().min(1).max(MAX_NAME_CHARACTERS);

/** Query of `GET /v1/learning/traces`. */
export const learningTracesQuerySchema = z
  .strictObject({
    /** What to search for, in plain words; the best matches come first, on one page. */
    text: z.string().min(1).max(MAX_TEXT_CHARACTERS).optional(),
    type: z.enum(learningTraceTypes).optional(),
    action: z.enum(learningActions).optional(),
    agent: name.optional(),
    project: name.optional(),
    /** Which agents of the tenant may read it: `project` and `universal` find promoted ones. */
    scope: z.enum(learningTraceScopes).optional(),
    jobId: jobIdSchema.optional(),
    /** Only learning traces before this position: `nextBefore` of the previous page. Not with `text`. */
    before: queryPosition().optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'LearningTracesQuery' });
export type LearningTracesQuery = z.infer<typeof learningTracesQuerySchema>;

export const learningTraceSchema = z
  .object({
    /** Id of the event. */
    id: z.uuid(),
    tenant: z.string(),
    project: z.string(),
    /** Which agents of the tenant may read it: those of its job, of its project, or all. */
    scope: z.enum(learningTraceScopes),
    timestamp: z.string(),
    jobId: jobIdSchema,
    /** Absent for an event of the job itself. */
    phase: z.int().min(1).optional(),
    /** Position of the event in the log. */
    position: z.int().min(1),
    type: z.enum(learningTraceTypes),
    source: z.enum(learningTraceSources),
    /** A newer server may know further codes. */
    action: z.enum(learningActions).or(z.string()),
    reason: z.enum(learningReasons).or(z.string()),
    context: z.object({
      agent: z.string(),
      feature: z.string().optional(),
      todo: z.int().optional(),
      task: z.string().optional(),
    }),
    /** Texts of models, tools and people. */
    event: z.object({ happened: z.string(), correct: z.string().optional(), why: z.string().optional() }),
  })
  .meta({ id: 'LearningTrace' });
export type LearningTraceRecord = z.infer<typeof learningTraceSchema>;

export const learningTracePageSchema = z
  .object({
    /** Newest first; with `text` the best match first. */
    items: z.array(learningTraceSchema),
    /** Absent on the last page, and with `text`. */
    nextBefore: z.int().min(1).optional(),
  })
  .meta({ id: 'LearningTracePage' });
export type LearningTracePage = z.infer<typeof learningTracePageSchema>;

/** Why; recorded in the log. */
const reason = wellFormedText().min(1).max(2_000);

/** Body of `POST /v1/learning/traces/:id/promotions`. */
export const promoteTraceRequestSchema = z
  .strictObject({
    /** Which agents of the tenant may read it from now on: those of its project, or all. */
    to: z.enum(learningTraceScopes).exclude(['job']),
    reason,
  })
  .meta({ id: 'PromoteTraceRequest' });
export type PromoteTraceRequest = z.infer<typeof promoteTraceRequestSchema>;

/** Body of `POST /v1/learning/traces/:id/withdrawals`. */
export const withdrawTraceRequestSchema = z.strictObject({ reason }).meta({ id: 'WithdrawTraceRequest' });
export type WithdrawTraceRequest = z.infer<typeof withdrawTraceRequestSchema>;

export const traceScopeChangeSchema = z
  .object({
    /** False if the learning trace had the scope before, and nothing was recorded. */
    changed: z.boolean(),
    id: z.uuid(),
    /** Lists show it within seconds. */
    scope: z.enum(learningTraceScopes),
  })
  .meta({ id: 'TraceScopeChange' });
export type TraceScopeChangeRecord = z.infer<typeof traceScopeChangeSchema>;
