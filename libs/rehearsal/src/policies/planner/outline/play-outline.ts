import { z } from 'zod';
import type { RehearsalAnswer } from '../../../rehearsal-policy.js';
import { act, call, reportBlocked } from '../../scene.js';
import { offerIdeas } from '../offer-ideas.js';
import type { PlanScene } from '../plan-scene.js';
import { LOST_SCORE } from '../reading/score-reading.js';
import { readRepairOrder } from '../repair.js';
import type { PatternName, PlanNode } from '../session.js';
import { MAX_DRAFTS, readToolHistory, toToolArguments, type ToolResult } from '../tool-results.js';
import { buildContextChange } from './build-context-change.js';
import { buildOutline } from './build-outline.js';
import { buildPatternRequest } from './pattern-request.js';
import { repairOutline } from './repair-outline.js';

const MAX_FAILURES = 2;

/** The pattern in the result of the tool that selects it. */
const selectionSchema = z.object({
  pattern: z.object({
    pattern_type: z.string(),
    subtype: z.string().optional(),
    source_pattern: z.string().optional(),
  }),
});

/** Plays DRAFT_OUTLINE: what the person changed of the context, ideas if they are wanted, the pattern, then the nodes. */
export function playOutline(scene: PlanScene): RehearsalAnswer {
  const early = changeContext(scene) ?? offerIdeas(scene);
  if (early) return early;
  const selection = readToolHistory(scene.calls, 'pattern_selector');
  if (!selection.success) {
    if (selection.failures.length > MAX_FAILURES) return reportFailures(selection.failures);
    return act('', call('pattern_selector', buildPatternRequest(scene, selection.failures.length === 0)));
  }
  const { success, failures, count } = readToolHistory(scene.calls, 'node_generator');
  if (success && count >= MAX_DRAFTS) return act('The outline is drafted.');
  if (failures.length > MAX_FAILURES) return reportFailures(failures);
  const nodes = draftNodes(scene, readSelection(scene, selection.success), failures);
  const { confidence } = scene;
  return act('', call('node_generator', { nodes: nodes.map(toToolArguments), confidence }));
}

/** Records once what the person's words change of the context. If the tool refuses it, the outline is drafted from the context as it is. */
function changeContext(scene: PlanScene): RehearsalAnswer | undefined {
  const wasCalled = scene.calls.some(({ name }) => name === 'context_elicitor');
  if (wasCalled || !scene.toolNames.includes('context_elicitor')) return undefined;
  const change = buildContextChange(scene);
  if (Object.keys(change).length === 0) return undefined;
  return act('', call('context_elicitor', { ...change, confidence: scene.confidence }));
}

function reportFailures(failures: readonly ToolResult[]): RehearsalAnswer {
  return reportBlocked(failures.flatMap(({ explanations }) => explanations).join(' ') || 'a tool failed');
}

/** The selected pattern, from the result or, if the prompt no longer shows it, from the session. */
function readSelection({ session, context }: PlanScene, { data }: ToolResult): PatternName {
  const parsed = selectionSchema.safeParse(data);
  if (!parsed.success) return session.selectedPattern ?? context?.pattern ?? { patternType: 'milestone_project' };
  const { pattern_type: patternType, subtype, source_pattern: sourcePattern } = parsed.data.pattern;
  return {
    patternType,
    ...(subtype !== undefined && { subtype }),
    ...(sourcePattern !== undefined && { sourcePattern }),
  };
}

/** Drafts the nodes, or repairs those of the last draft if violations or instructions name what to change. */
function draftNodes(scene: PlanScene, pattern: PatternName, failures: readonly ToolResult[]): readonly PlanNode[] {
  const { draft, session, outline, confidence } = scene;
  const fresh = buildOutline(pattern, draft);
  // What is not known at all is not estimated, so that the plan is not taken for more than a guess.
  const shown = confidence < LOST_SCORE ? fresh.map(({ estimateMinutes: _, ...node }) => node) : fresh;
  const order = readRepairOrder('outline', session);
  const isRepair = order !== undefined && !order.isWhole && failures.length === 0;
  const isSamePattern = outline?.pattern === undefined || outline.pattern.patternType === pattern.patternType;
  return isRepair && isSamePattern && outline !== undefined ? repairOutline(outline.nodes, order, fresh) : shown;
}
