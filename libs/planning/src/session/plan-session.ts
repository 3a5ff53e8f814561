import { clip, isBlankText } from '@phaseline/basics';
import { planningSettingsSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { adaptationLogEntrySchema } from '../artifacts/adaptation-log-entry.js';
import {
  contentHashSchema,
  daySchema,
  nameSchema,
  sentencesSchema,
  textSchema,
  titleSchema,
} from '../artifacts/fields.js';
import { patternSpecSchema } from '../artifacts/pattern-spec.js';
import { confidenceBands } from '../confidence/confidence-band.js';
import { violationSchema } from '../grammar/violation.js';
import { patternDefinitionSchema } from '../patterns/pattern-definition.js';
import { approvalSubjects } from '../policy/approval-cadence.js';
import { interactionPolicySchema, policyOverridesSchema } from '../policy/interaction-policy.js';
import { pendingQuestionSchema } from './pending-question.js';
import { draftStages, planStages } from './plan-stage.js';

/** Messages that are kept: far more than the turns of a session. */
export const MAX_MESSAGES = 200;
/** Longest message of a person or the planner in characters. */
export const MAX_MESSAGE_CHARACTERS = 4_000;

const planningStatuses = [
  'in_progress',
  'complete',
  'needs_clarification',
  'needs_scheduling_escalation',
  'aborted',
] as const;

export const messageSchema = z.strictObject({
  from: z.enum(['person', 'planner']),
  text: textSchema(MAX_MESSAGE_CHARACTERS),
});

/** How often a stage was tried since the person last said something about it. */
const attemptsSchema = z.strictObject({
  /** Drafts that were invalid. */
  invalid: z.int().min(0).default(0),
  /** Whether suggested fixes were applied because the confidence was low. */
  wasFixed: z.boolean().default(false),
  /** Whether the model was told to change only what the instructions name. */
  wasNarrowed: z.boolean().default(false),
  /** Whether the stage went back to collect context. */
  wasReturned: z.boolean().default(false),
});
export type StageAttempts = z.infer<typeof attemptsSchema>;

const optionSchema = z.strictObject({ id: titleSchema, title: titleSchema, description: sentencesSchema });

/**
 * What a session of planning knows besides its artifacts. It is a file of the workspace that only planning tools write, so that every stage sees
 * it although its conversation starts empty, and a fork or a replay has the same.
 */
export const planSessionSchema = z
  .strictObject({
    goal: textSchema(MAX_MESSAGE_CHARACTERS),
    goalId: titleSchema.optional().describe('Goal that the session is about; several sessions may have the same one'),
    continues: z
      .strictObject({ planId: nameSchema, contentHash: contentHashSchema })
      .optional()
      .describe('Approved plan from which the session started, and the hash of its schedule'),
    user: nameSchema,
    today: daySchema.describe('Day on which the session began, in the zone of the person'),
    stage: z.enum(planStages),
    settings: planningSettingsSchema,
    preferences: policyOverridesSchema.describe('Lasting preferences of the person'),
    overrides: z.array(policyOverridesSchema).max(100).describe('What the person said in this session, oldest first'),
    policy: interactionPolicySchema.describe('What applies: defaults, preferences, overrides'),
    wasStyleAsked: z.boolean(),
    messages: z.array(messageSchema).max(MAX_MESSAGES),
    hashes: z.strictObject({
      context: contentHashSchema.optional(),
      outline: contentHashSchema.optional(),
      roadmap: contentHashSchema.optional(),
      schedule: contentHashSchema.optional(),
    }),
    portfolioVersion: contentHashSchema
      .optional()
      .describe('Other approved plans of the person around which the last schedule was made'),
    selectedPattern: patternSpecSchema.optional(),
    patternDistance: z.number().optional().describe('How far the second-best pattern is'),
    patterns: z.array(patternDefinitionSchema).max(50).describe('Canonical patterns, and those of the tenant'),
    proposal: z
      .strictObject({
        pattern: patternSpecSchema,
        fallback: patternSpecSchema,
        definition: patternDefinitionSchema.optional(),
      })
      .optional()
      .describe('Proposal that waits for its approval'),
    approvedProposals: z.array(titleSchema).max(500),
    refusedProposals: z.array(titleSchema).max(100),
    attempts: z.strictObject(
      Object.fromEntries(draftStages.map((stage) => [stage, attemptsSchema])) as Record<
        (typeof draftStages)[number],
        typeof attemptsSchema
      >,
    ),
    violations: z.array(violationSchema).max(200).describe('Of the last validation'),
    instructions: z.array(sentencesSchema).max(50).describe('What the next draft changes'),
    narrowed: z.boolean().describe('Whether the next draft changes only what the instructions name'),
    hasFeedback: z.boolean().describe('Whether the next draft follows words of the person'),
    questions: z.array(sentencesSchema).max(20).describe('Questions that the person is asked next'),
    ideas: z.array(z.strictObject({ title: titleSchema, description: sentencesSchema })).max(20),
    options: z.array(optionSchema).max(10),
    chosenOption: titleSchema.optional(),
    band: z.enum(confidenceBands).describe('Band of the last confidence'),
    adaptations: z
      .array(z.strictObject({ entry: adaptationLogEntrySchema, hash: contentHashSchema, isApproved: z.boolean() }))
      .max(500),
    approval: z
      .strictObject({ subject: z.enum(approvalSubjects), hash: contentHashSchema })
      .optional()
      .describe('What is to be approved next'),
    pending: pendingQuestionSchema.optional(),
    planningStatus: z.enum(planningStatuses),
    responseText: z.string().max(MAX_MESSAGE_CHARACTERS),
    escalateReason: sentencesSchema.optional(),
  })
  .meta({ title: 'PlanSession' });
export type PlanSession = z.infer<typeof planSessionSchema>;

/** Counters of stages that nobody has tried. */
export const NO_ATTEMPTS: StageAttempts = { invalid: 0, wasFixed: false, wasNarrowed: false, wasReturned: false };

/** Returns the session in which the counters of all stages begin again, as after each input of the person. */
export function resetAttempts(session: PlanSession): PlanSession {
  return { ...session, attempts: { outline: NO_ATTEMPTS, roadmap: NO_ATTEMPTS, schedule: NO_ATTEMPTS } };
}

/** Returns the session with one more message. The oldest ones but the goal are dropped when there are too many. */
export function addMessage(session: PlanSession, from: 'person' | 'planner', text: string): PlanSession {
  const clipped = clip(text.toWellFormed().trim(), MAX_MESSAGE_CHARACTERS - 1);
  if (isBlankText(clipped)) return session;
  const messages = [...session.messages, { from, text: clipped }];
  const kept = messages.length > MAX_MESSAGES ? [messages[0]!, ...messages.slice(2)] : messages;
  return { ...session, messages: kept };
}
