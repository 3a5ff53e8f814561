import { callIdSchema, idempotencyKeySchema, jobIdSchema, jobStatusSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';

const count = z.int().min(0);
const json = z.record(z.string(), z.unknown());
const MAX_TEXT_CHARACTERS = 4_000;
const MAX_NAME_CHARACTERS = 200;
const text = z.string().min(1).max(MAX_TEXT_CHARACTERS);
const name = z.string().min(1).max(MAX_NAME_CHARACTERS);

/** Where a plan is. Newer servers may have more. */
export const planningStatuses = [
  'in_progress',
  'complete',
  'needs_clarification',
  'needs_scheduling_escalation',
  'aborted',
] as const;

/** Formats of `GET /v1/plans/:id/schedule.*`: a calendar file, a table, a Gantt picture. */
export type ScheduleFormat = 'ics' | 'csv' | 'svg';

/** Limits of a plan. Those of a request may only lower what the agent allows. */
const planLimitsSchema = z
  .strictObject({
    /** Turns: what the person says begins the next one. */
    turnLimit: z.int().min(1).max(10_000).optional(),
    /** How often an artifact is drafted again because it is invalid, before the person is asked. */
    retryLimitPerStage: z.int().min(0).max(10).optional(),
    /** Seconds inside model calls and tools per turn. */
    wallTimeSec: z.number().min(0.001).max(86_400).optional(),
    budgetPerSessionUsd: z.number().positive().max(1_000_000_000).optional(),
    /** Cost of a turn after which the person is asked whether to continue. */
    softBudgetPerTurnUsd: z.number().positive().max(1_000_000_000).optional(),
    /** What the person may spend in a day, on all plans together, before this one asks whether to continue. */
    dailyBudgetUsd: z.number().positive().max(1_000_000_000).optional(),
  })
  .meta({ id: 'PlanLimits' });
export type PlanLimits = z.infer<typeof planLimitsSchema>;

/** Body of `POST /v1/plans`. Everything but the goal has a default, or the person is asked. */
export const submitPlanRequestSchema = z
  .strictObject({
    goal: text,
    /**
     * Groups the sessions about one goal; default: the id of the plan. If the person has an approved plan for it, the new one starts from that, and
     * `goal` says what is to be different.
     */
    goalId: name.optional(),
    /** Person for whom the plan is made; default: the caller. Another one requires the right `act:on-behalf-of`. */
    user: name.optional(),
    /** Name of a time zone, such as Europe/Berlin. */
    zone: name.optional(),
    /** First and last day, YYYY-MM-DD. */
    start: z.iso.date().optional(),
    end: z.iso.date().optional(),
    /** Working hours and holidays, capacity, and how the work is spread: as the context of a plan has them. */
    calendar: json.optional(),
    capacity: json.optional(),
    strategy: json.optional(),
    /** Values of the interaction policy for this plan only. */
    policy: json.optional(),
    limits: planLimitsSchema.optional(),
    tenant: name.optional(),
    idempotencyKey: idempotencyKeySchema.optional(),
  })
  .meta({ id: 'SubmitPlanRequest' });
export type SubmitPlanRequest = z.infer<typeof submitPlanRequestSchema>;

export const submitPlanResponseSchema = z
  .object({
    /** Id of the planning job. */
    planId: jobIdSchema,
    /** False if the same idempotency key created it before. */
    created: z.boolean(),
  })
  .meta({ id: 'SubmitPlanResponse' });
export type SubmitPlanResponse = z.infer<typeof submitPlanResponseSchema>;

/** Query of `GET /v1/plans`. */
export const plansQuerySchema = z
  .strictObject({
    /** Person for whom plans are made. */
    user: name.optional(),
    goalId: name.optional(),
    /** `true`: only plans that are neither approved nor aborted. */
    open: z.enum(['true', 'false']).optional(),
    planningStatus: z.enum(planningStatuses).optional(),
    patternType: name.optional(),
    /** Only plans submitted before this position: `nextBefore` of the previous page. */
    before: queryPosition().optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'PlansQuery' });
export type PlansQuery = z.infer<typeof plansQuerySchema>;

const planItemSchema = z
  .object({
    planId: jobIdSchema,
    tenant: z.string(),
    user: z.string().nullable(),
    /** Null, as the goal, for an encrypted job and a fork. */
    goalId: z.string().nullable(),
    goal: z.string().nullable(),
    planningStatus: z.string(),
    stage: z.string(),
    patternType: z.string().nullable(),
    patternSubtype: z.string().nullable(),
    patternVariant: z.string().nullable(),
    approvedAt: z.string().nullable(),
    changedAt: z.string(),
  })
  .meta({ id: 'PlanItem' });
export type PlanItem = z.infer<typeof planItemSchema>;

export const planPageSchema = z
  .object({
    /** Newest first. */
    items: z.array(planItemSchema),
    /** Absent on the last page. */
    nextBefore: count.optional(),
  })
  .meta({ id: 'PlanPage' });
export type PlanPage = z.infer<typeof planPageSchema>;

/** What a plan waits for. `POST /v1/plans/:id/reply` answers it. */
const planWaitSchema = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('question'),
      callId: callIdSchema,
      question: z.string(),
      options: z.array(z.string()).optional(),
      questionHash: z.string(),
      expiresAt: z.string(),
    }),
    z.object({
      kind: z.literal('approval'),
      callId: callIdSchema,
      /** What is to be approved, in words. */
      question: z.string(),
      options: z.array(z.string()),
      argumentsHash: z.string(),
      /** What is to be approved: `goal`, `outline`, `roadmap`, `schedule` or `adaptation`. Absent if the approval is that of another call. */
      subject: z.string().optional(),
      /** Hash of the artifact that is to be approved. Absent if the approval is that of another call. */
      contentHash: z.string().optional(),
      expiresAt: z.string(),
    }),
  ])
  .meta({ id: 'PlanWait' });
export type PlanWait = z.infer<typeof planWaitSchema>;

/** Body of `POST /v1/plans/:id/runs`. */
export const runPlanRequestSchema = z
  .strictObject({
    /** Hash of the schedule that is meant; refused if the plan has another one. */
    contentHash: z.string().max(MAX_NAME_CHARACTERS).optional(),
    /** `confirm` (the default): a person says when their tasks are done. `as_planned`: they count as done at their planned end. */
    people: z.enum(['confirm', 'as_planned']).optional(),
    /** A rehearsal: the clock of the schedule begins at `shows`, and `speed` of its seconds pass in one. */
    clock: z.strictObject({ shows: z.iso.datetime(), speed: z.number().min(1).max(1_000_000) }).optional(),
    idempotencyKey: idempotencyKeySchema.optional(),
  })
  .meta({ id: 'RunPlanRequest' });
export type RunPlanRequest = z.infer<typeof runPlanRequestSchema>;

export const runPlanResponseSchema = z
  .object({
    /** Id of the job that carries out the plan. */
    runId: jobIdSchema,
    created: z.boolean(),
  })
  .meta({ id: 'RunPlanResponse' });
export type RunPlanResponse = z.infer<typeof runPlanResponseSchema>;

export const planProgressSchema = z
  .object({
    runId: jobIdSchema,
    /** Status of the job. */
    status: jobStatusSchema,
    planId: z.string(),
    /** Schedule that is carried out. */
    contentHash: z.string(),
    /** Absent until the plan is opened. */
    goal: z.string().optional(),
    /** Clock of a rehearsal. */
    clock: json.optional(),
    /** By planned start. */
    tasks: z.array(
      z.object({
        /** Id of the task; of an occurrence with its number, such as `run#2`. */
        id: z.string(),
        title: z.string(),
        /** Absent for tasks of people. */
        agent: z.string().optional(),
        start: z.string(),
        end: z.string(),
        zone: z.string(),
        /** `waiting`, `running`, `done`, `skipped` or `failed`. */
        status: z.string(),
        /** Times by the clock of the schedule. */
        startedAt: z.string().optional(),
        endedAt: z.string().optional(),
        /** Who ended it. */
        by: z.string().optional(),
        note: z.string().optional(),
        files: z.array(z.string()),
      }),
    ),
    /** Schedules that were carried out before. */
    replaced: z.array(z.object({ contentHash: z.string(), why: z.string() })),
    waitsFor: planWaitSchema.nullable(),
  })
  .meta({ id: 'PlanProgress' });
export type PlanProgress = z.infer<typeof planProgressSchema>;

export const planSchema = z
  .object({
    planId: jobIdSchema,
    tenant: z.string(),
    /** Status of the job. */
    status: jobStatusSchema,
    planningStatus: z.string(),
    stage: z.string(),
    goal: z.string(),
    /** The goal that several plans may have. */
    goalId: z.string(),
    /** Approved plan from which this one started. */
    continues: z.string().optional(),
    user: z.string(),
    /** Message to the person. */
    responseText: z.string(),
    escalateReason: z.string().optional(),
    /** What the person and the planner said, oldest first. Newer servers may have more speakers. */
    messages: z.array(z.object({ from: z.string(), text: z.string() })),
    selectedPattern: json.optional(),
    patternRfcRequired: z.boolean(),
    patternRfcText: z.string().optional(),
    policy: json.optional(),
    hashes: z.record(z.string(), z.string()),
    /** Limits in force. An absent one means none. */
    limits: planLimitsSchema,
    context: json.optional(),
    outline: json.optional(),
    roadmap: json.optional(),
    schedule: json.optional(),
    violations: z.array(json),
    options: z.array(json),
    adaptations: z.array(json),
    waitsFor: planWaitSchema.nullable(),
  })
  .meta({ id: 'Plan' });
export type Plan = z.infer<typeof planSchema>;

/** Body of `POST /v1/plans/:id/reply`. */
export const planReplyRequestSchema = z
  .strictObject({
    /** The answer to the question; for an approval `approve`, or what is to be changed. */
    text,
    /** Call to which the person replies; the reply is refused if the plan waits for another one. */
    callId: callIdSchema.optional(),
    /** Hash of the artifact that the person has seen; the reply is refused if another one waits for approval. */
    contentHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected a content hash')
      .optional(),
  })
  .meta({ id: 'PlanReplyRequest' });
export type PlanReplyRequest = z.infer<typeof planReplyRequestSchema>;

export const planReplyResponseSchema = z
  .object({
    planId: jobIdSchema,
    /** What the reply did. */
    reply: z.enum(['answered', 'approved', 'refused']),
    callId: callIdSchema,
  })
  .meta({ id: 'PlanReplyResponse' });
export type PlanReplyResponse = z.infer<typeof planReplyResponseSchema>;

const planStepSchema = z
  .object({
    /** Stage of the plan, or what it waited for; null before the first phase. */
    stage: z.string().nullable(),
    /** Null for money that belongs to no call: an answer without calls, or whose first call cost nothing; a summary; what a fork took over. */
    tool: z.string().nullable(),
    callId: callIdSchema.nullable(),
    phase: count.nullable(),
    durationMs: count.nullable(),
    confidence: z.number().nullable(),
    /** Micro-USD. The cost of a model call belongs to the first call of its answer; 0 for one that was answered from the memo. */
    costDelta: count,
    violations: z.array(z.string()),
    /** How many structural changes the call made. */
    adaptations: count,
    explanations: z.array(z.string()),
    /** Whether the result is that of an equal earlier call. */
    memo: z.boolean(),
  })
  .meta({ id: 'PlanStep' });
export type PlanStep = z.infer<typeof planStepSchema>;

export const planTraceSchema = z
  .object({
    planId: jobIdSchema,
    /** The sum of `costDelta`, which is the money of the job. */
    costMicroUsd: count,
    items: z.array(planStepSchema),
  })
  .meta({ id: 'PlanTrace' });
export type PlanTrace = z.infer<typeof planTraceSchema>;
