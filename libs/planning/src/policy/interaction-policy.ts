import { z } from 'zod';

/** How the planner deals with a person: seven sliders. Lasting per user, and overridable per session. */
export const interactionPolicySchema = z
  .strictObject({
    conversationStyle: z.enum(['concise', 'standard', 'conversational', 'coach']).describe('Wording of messages'),
    talkativeness: z.number().min(0).max(1).describe('Length of messages'),
    autonomy: z.enum(['high', 'medium', 'low']).describe('What is decided without the person'),
    brainstormingPreference: z
      .enum(['on_demand', 'suggest_when_uncertain', 'always_offer'])
      .describe('When ideas are offered'),
    approvalPolicy: z
      .enum(['single_final', 'milestone_approvals', 'strict_every_step'])
      .describe('Which artifacts need an approval'),
    probingDepth: z.int().min(0).max(3).describe('Maximum number of questions per turn'),
    tone: z.enum(['neutral', 'friendly', 'clinical']),
  })
  .meta({ title: 'InteractionPolicy' });
export type InteractionPolicy = z.infer<typeof interactionPolicySchema>;

/** Sliders that a user or a session has set; the others have the value of the layer below. */
export const policyOverridesSchema = interactionPolicySchema.partial();
export type PolicyOverrides = z.infer<typeof policyOverridesSchema>;

/**
 * The middle of every slider: messages of a few sentences, two questions per turn, questions and ideas only when the planner is
 * uncertain, one approval at the end.
 */
export const DEFAULT_INTERACTION_POLICY: InteractionPolicy = {
  conversationStyle: 'standard',
  talkativeness: 0.5,
  autonomy: 'medium',
  brainstormingPreference: 'suggest_when_uncertain',
  approvalPolicy: 'single_final',
  probingDepth: 2,
  tone: 'neutral',
};

/**
 * Returns the policy of a session: defaults, then the lasting preferences of the user, then the overrides of the session, of which a later
 * one wins.
 */
export function resolvePolicy(preferences: PolicyOverrides, overrides: readonly PolicyOverrides[]): InteractionPolicy {
  const layers = [preferences, ...overrides].map(dropUnset);
  return Object.assign({}, DEFAULT_INTERACTION_POLICY, ...layers) as InteractionPolicy;
}

function dropUnset(layer: PolicyOverrides): PolicyOverrides {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined));
}
