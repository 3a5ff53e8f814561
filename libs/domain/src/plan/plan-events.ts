import { jsonObjectSchema, jsonValueSchema } from '@phaseline/basics';
import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** Content hash of an artifact: SHA-256 of its canonical JSON, which is also the content of its file. */
const artifactHash = z.string().regex(/^[0-9a-f]{64}$/);
const artifactKind = z.enum(['context', 'outline', 'roadmap', 'schedule']);
const stage = z.enum(['context', 'outline', 'roadmap', 'schedule', 'approval']);
const share = z.number().min(0).max(1);

const planArtifactRecorded = defineEvent(
  'PlanArtifactRecorded',
  1,
  'An artifact of a plan was made. Its content is the file at `path`, written in the same commit.',
  z.object({
    callId: callIdSchema,
    kind: artifactKind,
    hash: artifactHash,
    /** Hash of the artifact from which it was made; absent for a first context. */
    madeFrom: artifactHash.optional(),
    path: z.string(),
  }),
);

const planAdapted = defineEvent(
  'PlanAdapted',
  1,
  'The structure of a plan was changed: an AdaptationLogEntry.',
  z.object({
    callId: callIdSchema,
    /** SHA-256 of the canonical JSON of the entry; an approval of the change names it. */
    hash: artifactHash,
    artifact: artifactKind,
    /** The node that changed, if it is only one. */
    node: z.string().optional(),
    what: z.string(),
    why: z.string(),
    introducedBy: z.enum(['system', 'user_feedback', 'ai_adaptation']),
    /** Person, agent or tool that made the change. */
    by: z.string(),
    before: jsonValueSchema,
    after: jsonValueSchema,
  }),
);

/** The pattern of a plan as its artifacts have it. */
const pattern = jsonObjectSchema;

const patternProposed = defineEvent(
  'PatternProposed',
  1,
  'A new pattern or subtype was proposed for a plan.',
  z.object({
    callId: callIdSchema,
    /** The proposal by pattern and subtype; equal proposals have the same. */
    proposal: z.string(),
    pattern,
    rfc: z.string(),
    /** The canonical pattern that is used if the proposal is refused. */
    nearest: z.string(),
    /** The grammar of a new top-level pattern. */
    definition: jsonObjectSchema.optional(),
  }),
);

const proposalDecision = z.object({
  callId: callIdSchema,
  proposal: z.string(),
  /** Name of the person who decided. */
  actor: z.string(),
});

const patternApproved = defineEvent(
  'PatternApproved',
  1,
  'A person approved a proposed pattern. Later jobs of the tenant know it.',
  proposalDecision.extend({ pattern, definition: jsonObjectSchema.optional() }),
);

const patternRefused = defineEvent('PatternRefused', 1, 'A person refused a proposed pattern.', proposalDecision);

const stageAssessed = defineEvent(
  'StageAssessed',
  1,
  'The confidence of a stage was computed, from these parts.',
  z.object({
    callId: callIdSchema,
    stage,
    /** Hash of the artifact that was assessed; absent if there is none. */
    hash: artifactHash.optional(),
    confidence: share,
    band: z.enum(['go_on', 'retry', 'escalate']),
    self: share,
    validator: share,
    heuristics: share,
    heuristicValues: z.record(z.string(), z.number()),
  }),
);

const policyOverridden = defineEvent(
  'PolicyOverridden',
  1,
  'The person changed how the planner deals with them in this session.',
  z.object({
    callId: callIdSchema,
    overrides: jsonObjectSchema,
    /** What the person said. */
    words: z.string(),
  }),
);

/** A lasting preference about which a plan asks its person. */
const preferenceQuestion = z.object({
  callId: callIdSchema,
  /** Name of the person for whom the plan is made. */
  user: z.string(),
  preference: z.literal('conversationStyle'),
});

const preferenceAsked = defineEvent(
  'PreferenceAsked',
  1,
  'A plan asks its person about a lasting preference. Later plans of the person in the tenant do not ask again.',
  preferenceQuestion,
);

const preferenceAnswered = defineEvent(
  'PreferenceAnswered',
  1,
  'The person answered what a plan asked about a lasting preference. The answer holds for this plan and later ones.',
  preferenceQuestion.extend({
    value: z.string(),
    /** What the person said. */
    words: z.string(),
  }),
);

const planStatusChanged = defineEvent(
  'PlanStatusChanged',
  1,
  'What a caller can branch on changed: the status of the plan and what belongs to it.',
  z.object({
    callId: callIdSchema,
    planningStatus: z.enum([
      'in_progress',
      'complete',
      'needs_clarification',
      'needs_scheduling_escalation',
      'aborted',
    ]),
    stage,
    /** Message to the person. */
    responseText: z.string(),
    escalateReason: z.string().optional(),
    selectedPattern: pattern.optional(),
    patternRfcRequired: z.boolean(),
    patternRfcText: z.string().optional(),
  }),
);

/** A task of a plan that is carried out, or one occurrence of a recurring task, such as `run#2`. */
const item = z.string();
/** Time by the clock of the schedule, which is not that of the log in a rehearsal. */
const scheduleTime = z.iso.datetime();

const planRunOpened = defineEvent(
  'PlanRunOpened',
  1,
  'An approved plan began to be carried out.',
  z.object({
    callId: callIdSchema,
    planId: z.string(),
    /** Content hash of the schedule that was approved. */
    contentHash: artifactHash,
    /** Number of tasks, each occurrence counted. */
    tasks: z.int().min(0),
    /** Set in a rehearsal: what the clock of the schedule showed at the start, and how fast it goes. */
    clock: z.object({ shows: scheduleTime, speed: z.number().min(1) }).optional(),
  }),
);

const planTaskStarted = defineEvent(
  'PlanTaskStarted',
  1,
  'A task of a plan that is carried out began.',
  z.object({
    callId: callIdSchema,
    item,
    title: z.string(),
    /** The agent that does it; absent for tasks of people. */
    agent: z.string().optional(),
    at: scheduleTime,
  }),
);

const planTaskEnded = defineEvent(
  'PlanTaskEnded',
  1,
  'A task of a plan that is carried out ended.',
  z.object({
    callId: callIdSchema,
    item,
    status: z.enum(['done', 'skipped', 'failed']),
    /** The person or agent that ended it; `plan` if it counts as done because its planned end has passed. */
    by: z.string(),
    at: scheduleTime,
  }),
);

const planReplaced = defineEvent(
  'PlanReplaced',
  1,
  'A plan that is carried out was made again. None of the tasks of the new schedule has begun.',
  z.object({ callId: callIdSchema, from: artifactHash, to: artifactHash, why: z.string() }),
);

export const planEventDefinitions = [
  planArtifactRecorded,
  planAdapted,
  patternProposed,
  patternApproved,
  patternRefused,
  stageAssessed,
  policyOverridden,
  preferenceAsked,
  preferenceAnswered,
  planStatusChanged,
  planRunOpened,
  planTaskStarted,
  planTaskEnded,
  planReplaced,
] as const;
