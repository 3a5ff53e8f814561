import type { JsonObject } from '@phaseline/basics';
import { z } from 'zod';
import { shareSchema, sentencesSchema, titleSchema } from './fields.js';

/** The canonical top-level patterns. Their grammars are data: agents/planner/patterns. */
export const canonicalPatterns = [
  'milestone_project',
  'recurring_cycle',
  'progressive_accumulation_arc',
  'hybrid_project_cycle',
  'strategic_transformation',
] as const;
export type CanonicalPattern = (typeof canonicalPatterns)[number];
export const canonicalPatternSchema = z.enum(canonicalPatterns);

/** Who introduced a pattern, node or change. */
const introducers = ['system', 'user_feedback', 'ai_adaptation'] as const;
export type Introducer = (typeof introducers)[number];
export const introducerSchema = z.enum(introducers);

const PROPOSED_PREFIX = 'proposed:';

/** Name of a proposal. It keeps the prefix after its approval, so that artifacts that name it stay as they are. */
export const proposedNameSchema = z
  .string()
  .regex(/^proposed:[a-z][a-z0-9_]{0,62}$/, 'expected proposed:<name> with lower-case letters, digits and underscores');

/** Name of a subtype: one of a pattern file, or a proposal. */
export const subtypeSchema = z
  .string()
  .regex(/^(?:proposed:)?[a-z][a-z0-9_]{0,62}$/, 'expected lower-case letters, digits and underscores');

/** Name of a top-level pattern: canonical, or a proposal. */
export const patternTypeSchema = z.union([canonicalPatternSchema, proposedNameSchema]);

/** The pattern of a plan. It is mirrored in the context, the outline and the roadmap. */
export const patternSpecSchema = z
  .strictObject({
    patternType: patternTypeSchema,
    subtype: subtypeSchema.optional(),
    variant: titleSchema.optional().describe('Free label of a variation within the pattern'),
    confidence: shareSchema.optional().describe('How well the features of the goal fit the pattern; only in the log'),
    introducedBy: introducerSchema,
    sourcePattern: canonicalPatternSchema.optional().describe('Canonical pattern that a proposal departs from'),
    rfc: sentencesSchema.optional().describe('Why a proposal is needed'),
  })
  .refine((pattern) => !isProposal(pattern) || pattern.sourcePattern !== undefined, {
    message: 'a proposal names the canonical pattern that it departs from',
    path: ['sourcePattern'],
  })
  .refine(({ patternType, rfc }) => !isProposedName(patternType) || rfc !== undefined, {
    message: 'a proposed top-level pattern has an rfc',
    path: ['rfc'],
  })
  .meta({ title: 'PatternSpec' });
export type PatternSpec = z.infer<typeof patternSpecSchema>;

/** Whether the name of a pattern or subtype is that of a proposal. */
export function isProposedName(name: string): boolean {
  return name.startsWith(PROPOSED_PREFIX);
}

/** Returns a pattern as JSON, without members that are `undefined`. */
export function toPatternJson(pattern: PatternSpec): JsonObject {
  return Object.fromEntries(
    Object.entries(pattern).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}

/** What identifies a pattern. */
export interface PatternName {
  readonly patternType: string;
  readonly subtype?: string | undefined;
}

/** Whether a pattern is a proposed top-level pattern or has a proposed subtype. */
function isProposal({ patternType, subtype }: PatternName): boolean {
  return isProposedName(patternType) || (subtype !== undefined && isProposedName(subtype));
}
