import type { ProposalSettings } from '@phaseline/contracts';
import { z } from 'zod';
import { titleSchema } from '../artifacts/fields.js';
import {
  canonicalPatternSchema,
  type CanonicalPattern,
  type Introducer,
  patternTypeSchema,
  type PatternSpec,
  subtypeSchema,
} from '../artifacts/pattern-spec.js';
import { findSubtype } from './find-grammar.js';
import type { PatternDefinition } from './pattern-definition.js';
import { decideProposal, proposalSchema, type ProposalDecision, type ProposalRecord } from './proposal.js';
import { rankPatterns, type PatternRanking } from './rank-patterns.js';

const featureSchema = z.number().min(0).max(1);

/** What a pattern is selected by. */
export const patternRequestSchema = z.strictObject({
  features: z.strictObject({
    endDate: featureSchema,
    recurrence: featureSchema,
    cumulativeMeasure: featureSchema,
    changeOfState: featureSchema,
  }),
  requestedPattern: patternTypeSchema
    .optional()
    .describe('Pattern that a person asked for; it replaces the nearest one'),
  subtype: subtypeSchema.optional().describe('Known subtype that fits the goal'),
  variant: titleSchema.optional(),
  proposal: proposalSchema.optional(),
});
export type PatternRequest = z.infer<typeof patternRequestSchema>;

/** Patterns and decisions of a tenant. */
export interface TenantPatterns {
  /** The canonical patterns, with the subtypes of the tenant, and its approved top-level patterns. */
  readonly patterns: readonly PatternDefinition[];
  readonly settings: ProposalSettings;
  readonly record: ProposalRecord;
}

export interface PatternSelection {
  /** The selected pattern. While a proposal needs an approval: the proposal. */
  readonly pattern: PatternSpec;
  /** Pattern that is used if the proposal is refused. */
  readonly fallback: PatternSpec;
  readonly ranking: PatternRanking;
  readonly proposal?: ProposalDecision;
  /** Requested subtype that the pattern does not have, so that it was left out. */
  readonly unknownSubtype?: string;
}

/**
 * Selects the pattern of a goal: the nearest one by its features, or the requested one, with a known subtype; then decides about a
 * proposal, if there is one. The selected pattern always parses as a PatternSpec.
 */
export function selectPattern(request: PatternRequest, tenant: TenantPatterns, proposedBy: string): PatternSelection {
  const ranking = rankPatterns(request.features, tenant.patterns);
  const known = selectKnownPattern(request, tenant.patterns, ranking);
  if (request.proposal === undefined) return { ...known, fallback: known.pattern, ranking };
  const fallback = toCanonical(known.pattern, ranking);
  const proposal = decideProposal(request.proposal, fallback, tenant, proposedBy);
  const pattern = proposal.kind === 'dropped' ? known.pattern : proposal.pattern;
  return { ...known, pattern, fallback, ranking, proposal };
}

function selectKnownPattern(
  { requestedPattern, subtype, variant }: PatternRequest,
  patterns: readonly PatternDefinition[],
  ranking: PatternRanking,
): Pick<PatternSelection, 'pattern' | 'unknownSubtype'> {
  const requested = patterns.find((one) => one.pattern === requestedPattern);
  const definition = requested ?? patterns.find((one) => one.pattern === ranking.nearest.pattern)!;
  const introducedBy: Introducer = requested ? 'user_feedback' : 'system';
  const isKnown = subtype !== undefined && findSubtype(definition, subtype) !== undefined;
  const { sourcePattern, pattern: patternType } = definition;
  const pattern: PatternSpec = {
    patternType,
    ...(isKnown && { subtype }),
    ...(variant !== undefined && { variant }),
    ...(sourcePattern !== undefined && { sourcePattern, rfc: definition.description }),
    confidence: ranking.patterns.find((one) => one.pattern === patternType)!.score,
    introducedBy,
  };
  return { pattern, ...(subtype !== undefined && !isKnown && { unknownSubtype: subtype }) };
}

/** Returns the pattern, or the nearest canonical one if it is not canonical: proposals depart from canonical patterns only. */
function toCanonical(pattern: PatternSpec, { patterns }: PatternRanking): PatternSpec {
  if (isCanonical(pattern.patternType)) {
    const { subtype: _, ...fallback } = pattern;
    return fallback;
  }
  const nearest = patterns.find((one) => isCanonical(one.pattern));
  if (nearest === undefined) throw new Error('Load the canonical patterns before deciding about proposals.');
  return { patternType: nearest.pattern, confidence: nearest.score, introducedBy: 'system' };
}

function isCanonical(name: string): name is CanonicalPattern {
  return canonicalPatternSchema.safeParse(name).success;
}
