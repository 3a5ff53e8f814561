import { z } from 'zod';

const HOUR_MS = 3_600_000;
const share = z.number().min(0).max(1);
const weight = z.number().min(0).max(1_000);
const hasWeight = (weights: object): boolean => Object.values(weights).some((one: number) => one > 0);

/** Facts about a stage, each between 0 and 1, that neither the model nor the validator states. */
export const heuristicNames = ['estimatedNodes', 'answeredQuestions', 'patternDistance'] as const;
export type HeuristicName = (typeof heuristicNames)[number];

/**
 * Settings of the confidence of a stage. Weights are relative: they are divided by their sum. The self-score counts most by default, because
 * only the model knows how much it guessed. Of the heuristics, estimates count double: they decide whether the stages after this one have
 * something to work with.
 */
export const confidenceSettingsSchema = z
  .strictObject({
    weights: z
      .strictObject({ self: weight.default(0.5), validator: weight.default(0.3), heuristics: weight.default(0.2) })
      .refine(hasWeight, 'expected a weight above 0')
      .prefault({}),
    heuristics: z
      .strictObject({
        estimatedNodes: weight.default(2),
        answeredQuestions: weight.default(1),
        patternDistance: weight.default(1),
      })
      .refine(hasWeight, 'expected a weight above 0')
      .prefault({}),
    continueFrom: share.default(0.7).describe('Confidence from which the stage continues'),
    retryFrom: share
      .default(0.4)
      .describe('Confidence from which the stage is tried again; below it, a person is asked'),
  })
  .refine(({ continueFrom, retryFrom }) => retryFrom <= continueFrom, {
    message: 'must not exceed continueFrom',
    path: ['retryFrom'],
  })
  .meta({ title: 'ConfidenceSettings' });
export type ConfidenceSettings = z.infer<typeof confidenceSettingsSchema>;

const proposalsAllowed = z.boolean().describe('Off: only canonical patterns and approved subtypes');
const rfcRequired = z.boolean().describe('On: a proposed subtype needs an rfc and the approval of a person');

/** Whether plans may have patterns that nobody has approved yet. By default they may be proposed, and a person decides about each. */
const proposalSettingsSchema = z.strictObject({
  ALLOW_NEW_SUBTYPE_PROPOSALS: proposalsAllowed.default(true),
  REQUIRE_RFC_FOR_NEW_SUBTYPE: rfcRequired.default(true),
});
export type ProposalSettings = z.infer<typeof proposalSettingsSchema>;

/**
 * Settings of an agent that plans. They belong to the agent, so that only those who define the agents of a tenant decide about them, and not
 * those who submit plans.
 */
export const planningSettingsSchema = z
  .strictObject({
    RETRY_LIMIT_PER_STAGE: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe('How often a stage is drafted again because its artifact is invalid, before a person is asked'),
    answerWithinMs: z
      .int()
      .min(60_000)
      .max(90 * 24 * HOUR_MS)
      .default(7 * 24 * HOUR_MS)
      .describe('How long a question to the person stays open'),
    confidence: confidenceSettingsSchema.prefault({}),
    proposals: proposalSettingsSchema.prefault({}),
    tenants: z
      .record(
        z.string().min(1).max(63),
        z.strictObject({
          ALLOW_NEW_SUBTYPE_PROPOSALS: proposalsAllowed.optional(),
          REQUIRE_RFC_FOR_NEW_SUBTYPE: rfcRequired.optional(),
        }),
      )
      .optional()
      .describe('Tenants in which other proposals hold. A job has those of its tenant only'),
  })
  .meta({ title: 'PlanningSettings' });
export type PlanningSettings = z.infer<typeof planningSettingsSchema>;
