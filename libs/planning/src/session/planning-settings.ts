import { z } from 'zod';
import { confidenceSettingsSchema, DEFAULT_CONFIDENCE_SETTINGS } from '../confidence/confidence-settings.js';
import { DEFAULT_PROPOSAL_SETTINGS, proposalSettingsSchema } from '../patterns/proposal.js';

const HOUR_MS = 3_600_000;

/** Settings of an installation or a tenant for its plans, by the names of the document where it has names. */
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
    confidence: confidenceSettingsSchema.default(DEFAULT_CONFIDENCE_SETTINGS),
    proposals: proposalSettingsSchema.default(DEFAULT_PROPOSAL_SETTINGS),
  })
  .meta({ title: 'PlanningSettings' });
