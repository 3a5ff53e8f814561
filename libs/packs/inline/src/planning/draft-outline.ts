import type { JsonValue } from '@phaseline/basics';
import type { planningSpec } from '@phaseline/pack-specs';
import {
  describeOutlineChange,
  getProposalKey,
  type OutlineNode,
  type PatternRequest,
  patternRequestSchema,
  type PatternSelection,
  type PlanOutline,
  planOutlineSchema,
  type PlanSession,
  selectPattern,
  toCamelCase,
} from '@phaseline/planning';
import type { ToolInput } from '@phaseline/tools';
import { explainCause } from './explain-cause.js';
import type { PlanWork } from './plan-work.js';
import { toJson } from './plan-work.js';
import { makePlanningTool } from './run-planning-tool.js';

type PatternInput = ToolInput<typeof planningSpec, 'pattern_selector'>;

/** Name under which changes of the planner are recorded. */
const PLANNER = 'planner';

/** Selects the pattern of the plan, and raises a proposal where none fits. */
export const choosePattern = makePlanningTool('pattern_selector', (work, input: PatternInput) => {
  const { session } = work;
  const record = { approved: new Set(session.approvedProposals), refused: new Set(session.refusedProposals) };
  const tenant = { patterns: session.patterns, settings: session.settings.proposals, record };
  const selection = selectPattern(toRequest(input), tenant, PLANNER);
  raiseProposal(work, selection, input);
  const pattern = selection.pattern;
  work.session = { ...work.session, selectedPattern: pattern, patternDistance: selection.ranking.distance };
  const { context } = work.artifacts;
  if (context && work.session.hashes.context !== undefined)
    work.recordArtifact('context', { ...context, previousHash: work.session.hashes.context, pattern });
  return { confidence: input.confidence, explanations: explainSelection(selection), data: { pattern } };
});

function toRequest({ confidence: _, ...input }: PatternInput): PatternRequest {
  return patternRequestSchema.parse(toCamelCase(toJson(input)));
}

/** Records what becomes of a proposal: it waits for a person, is used at once, or is dropped. */
function raiseProposal(
  work: PlanWork,
  { proposal, fallback }: PatternSelection,
  { proposal: input }: PatternInput,
): void {
  const { proposal: _before, ...session } = work.session;
  work.session = session;
  switch (proposal?.kind) {
    case 'needs_approval': {
      const definition = input?.definition && toCamelCase(input.definition as JsonValue);
      const raised = { pattern: proposal.pattern, fallback, ...(definition ? { definition } : {}) };
      work.session = { ...session, proposal: raised as NonNullable<PlanSession['proposal']> };
      work.record('PatternProposed', {
        proposal: getProposalKey(proposal.pattern),
        pattern: toJson(proposal.pattern),
        rfc: proposal.rfcText,
        nearest: fallback.patternType,
        ...(definition ? { definition: toJson(definition as object) } : {}),
      });
      return;
    }
    case 'used':
      work.recordAdaptation(proposal.adaptation);
      return;
    case 'approved':
    case 'dropped':
    case undefined:
      return;
  }
}

function explainSelection({ ranking, proposal, unknownSubtype }: PatternSelection): readonly string[] {
  return [
    ...ranking.patterns.slice(0, 3).map(({ pattern, score }) => `${pattern}: ${score.toFixed(2)}`),
    ...(unknownSubtype === undefined ? [] : [`The pattern has no subtype ${unknownSubtype}.`]),
    ...(proposal?.kind === 'dropped' ? proposal.problems : []),
  ];
}

type NodesInput = ToolInput<typeof planningSpec, 'node_generator'>;

/** Records the outline. */
export const generateNodes = makePlanningTool('node_generator', (work, input: NodesInput) => {
  const { session, artifacts } = work;
  const before = artifacts.outline;
  // The schema of the tool has checked the members; only their names differ.
  const { nodes } = toCamelCase(toJson({ nodes: input.nodes })) as unknown as Pick<PlanOutline, 'nodes'>;
  const outline: PlanOutline = planOutlineSchema.parse({
    contextHash: session.hashes.context,
    pattern: session.selectedPattern,
    nodes: nodes.map((node) => ({ ...node, origin: findOrigin(node, before, session.hasFeedback) })),
  });
  const change = before && describeOutlineChange(before, outline, explainCause(session));
  const contentHash = work.recordArtifact('outline', outline);
  if (change) work.recordAdaptation(change);
  work.session = { ...work.session, hasFeedback: false };
  return {
    confidence: input.confidence,
    explanations: [`The outline has ${outline.nodes.length} nodes.`],
    data: { ...outline, contentHash },
  };
});

/** Nodes that follow words of the person carry that; others keep who introduced them. */
function findOrigin(node: OutlineNode, before: PlanOutline | undefined, hasFeedback: boolean): OutlineNode['origin'] {
  const known = before?.nodes.find(({ id }) => id === node.id);
  const { origin: _, ...content } = known ?? { origin: undefined };
  const isSame = known !== undefined && JSON.stringify(sortKeys(content)) === JSON.stringify(sortKeys(node));
  if (isSame) return known.origin;
  return hasFeedback ? 'user_feedback' : 'system';
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
