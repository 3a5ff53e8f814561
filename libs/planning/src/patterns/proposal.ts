import type { ProposalSettings } from '@phaseline/contracts';
import { z } from 'zod';
import type { AdaptationLogEntry } from '../artifacts/adaptation-log-entry.js';
import { sentencesSchema } from '../artifacts/fields.js';
import {
  canonicalPatternSchema,
  proposedNameSchema,
  toPatternJson,
  type PatternName,
  type PatternSpec,
} from '../artifacts/pattern-spec.js';
import { findPatternProblems } from './find-pattern-problems.js';
import { patternDefinitionSchema } from './pattern-definition.js';

/** A new subtype of a canonical pattern, or a new top-level pattern, which brings its grammar. */
export const proposalSchema = z.discriminatedUnion('level', [
  z.strictObject({ level: z.literal('subtype'), name: proposedNameSchema, rfc: sentencesSchema.optional() }),
  z.strictObject({
    level: z.literal('top_level'),
    name: proposedNameSchema,
    rfc: sentencesSchema.optional(),
    sourcePattern: canonicalPatternSchema,
    definition: patternDefinitionSchema,
  }),
]);
export type Proposal = z.infer<typeof proposalSchema>;

/** What persons have decided about proposals, as keys of `getProposalKey`: approved in the tenant, refused in the session. */
export interface ProposalRecord {
  readonly approved: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
}

/** What becomes of a proposal. */
export type ProposalDecision =
  /** Approved earlier, by a person of the tenant. */
  | { readonly kind: 'approved'; readonly pattern: PatternSpec }
  /** Used at once and recorded. */
  | { readonly kind: 'used'; readonly pattern: PatternSpec; readonly adaptation: AdaptationLogEntry }
  /** Waits for a person: `patternRfcRequired` and `patternRfcText` of the plan. */
  | { readonly kind: 'needs_approval'; readonly pattern: PatternSpec; readonly rfcText: string }
  /** Dropped: the nearest canonical pattern is used. */
  | { readonly kind: 'dropped'; readonly code: ProposalProblem; readonly problems: readonly string[] };

type ProposalProblem = 'not_allowed' | 'refused_before' | 'rfc_missing' | 'grammar_inconsistent';

/** Returns the key of a proposal: equal proposals have equal keys, so that a refused one is not raised again. */
export function getProposalKey({ patternType, subtype }: PatternName): string {
  return subtype === undefined ? patternType : `${patternType}/${subtype}`;
}

/**
 * Decides what becomes of a proposal. `nearest` is the canonical pattern of the goal without the proposal; a subtype is proposed for it.
 * `proposedBy` is the agent or person that the record names.
 */
export function decideProposal(
  proposal: Proposal,
  nearest: PatternSpec,
  tenant: { readonly settings: ProposalSettings; readonly record: ProposalRecord },
  proposedBy: string,
): ProposalDecision {
  const { settings, record } = tenant;
  const pattern = buildProposedPattern(proposal, nearest);
  const key = getProposalKey(pattern);
  if (record.approved.has(key)) return { kind: 'approved', pattern };
  if (!settings.ALLOW_NEW_SUBTYPE_PROPOSALS) return drop('not_allowed', 'The tenant allows no proposals.');
  if (record.refused.has(key)) return drop('refused_before', `A person has refused ${key}.`);
  const problems = findDefinitionProblems(proposal);
  if (problems.length > 0) return { kind: 'dropped', code: 'grammar_inconsistent', problems };
  const needsPerson = proposal.level === 'top_level' || settings.REQUIRE_RFC_FOR_NEW_SUBTYPE;
  if (!needsPerson) return { kind: 'used', pattern, adaptation: buildAdaptation(pattern, nearest, proposedBy) };
  if (proposal.rfc === undefined) return drop('rfc_missing', `Give the reason for ${key} as rfc.`);
  return { kind: 'needs_approval', pattern, rfcText: proposal.rfc };
}

function drop(code: ProposalProblem, problem: string): ProposalDecision {
  return { kind: 'dropped', code, problems: [problem] };
}

function buildProposedPattern(proposal: Proposal, nearest: PatternSpec): PatternSpec {
  const { confidence, variant, introducedBy } = nearest;
  const common = {
    ...(confidence !== undefined && { confidence }),
    ...(variant !== undefined && { variant }),
    ...(proposal.rfc !== undefined && { rfc: proposal.rfc }),
    introducedBy: introducedBy === 'user_feedback' ? introducedBy : ('ai_adaptation' as const),
  };
  if (proposal.level === 'top_level')
    return { ...common, patternType: proposal.name, sourcePattern: proposal.sourcePattern };
  const sourcePattern = canonicalPatternSchema.parse(nearest.patternType);
  return { ...common, patternType: nearest.patternType, subtype: proposal.name, sourcePattern };
}

function findDefinitionProblems(proposal: Proposal): readonly string[] {
  if (proposal.level === 'subtype') return [];
  const { name, sourcePattern, definition } = proposal;
  return [
    ...(definition.pattern === name ? [] : [`pattern: expected ${name}, found ${definition.pattern}`]),
    ...(definition.sourcePattern === sourcePattern ? [] : [`sourcePattern: expected ${sourcePattern}`]),
    ...findPatternProblems(definition),
  ];
}

function buildAdaptation(pattern: PatternSpec, nearest: PatternSpec, by: string): AdaptationLogEntry {
  return {
    artifact: 'context',
    what: `The plan uses the new subtype ${pattern.subtype} of ${nearest.patternType}.`,
    why: pattern.rfc ?? 'No reason was given. The tenant requires none.',
    introducedBy: pattern.introducedBy,
    by,
    before: toPatternJson(nearest),
    after: toPatternJson(pattern),
  };
}
