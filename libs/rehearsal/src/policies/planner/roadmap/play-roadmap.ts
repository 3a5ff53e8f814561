import type { RehearsalAnswer } from '../../../rehearsal-policy.js';
import { act, call, reportBlocked } from '../../scene.js';
import type { PlanScene } from '../plan-scene.js';
import { applyOperations, readRepairOrder } from '../repair.js';
import { roadmapSchema, type PlanOutline, type PlanRoadmap } from '../session.js';
import { MAX_DRAFTS, readToolHistory, toToolArguments } from '../tool-results.js';
import { buildOptions, chooseOption, type RoadmapOption } from './build-options.js';
import { buildDependencies, buildPhases } from './build-roadmap.js';

const MAX_FAILURES = 2;

/** Plays DRAFT_ROADMAP: options, dependencies, then the roadmap with the chosen option. */
export function playRoadmap(scene: PlanScene): RehearsalAnswer {
  const { outline, toolNames, calls, session, confidence } = scene;
  if (outline === undefined) return reportBlocked('the prompt has no plan/outline.json');
  const options = listOptions(session, outline);
  const wasCrafted = session.options.length > 1 || calls.some(({ name }) => name === 'option_crafter');
  if (!wasCrafted && toolNames.includes('option_crafter')) {
    const crafted = options.map(({ id, title, description }) => ({ id, title, description }));
    return act('', call('option_crafter', { options: crafted, confidence }));
  }
  const resolver = readToolHistory(calls, 'dependency_resolver');
  const roadmap = draftRoadmap(scene, outline, options, resolver.failures.length);
  const { dependencies } = toToolArguments(roadmap);
  const isResolved = resolver.success !== undefined || resolver.failures.length > MAX_FAILURES;
  if (!isResolved && toolNames.includes('dependency_resolver'))
    return act('', call('dependency_resolver', { dependencies: dependencies!, confidence }));
  const builder = readToolHistory(calls, 'roadmap_builder');
  if (builder.success && builder.count >= MAX_DRAFTS) return act('The roadmap is drafted.');
  if (builder.failures.length > MAX_FAILURES)
    return reportBlocked(builder.failures.flatMap(({ explanations }) => explanations).join(' '));
  return act('', call('roadmap_builder', { ...toToolArguments(roadmap), confidence }));
}

/** The options of an earlier draft, about which the person may have been asked, or new ones. */
function listOptions(session: PlanScene['session'], outline: PlanOutline): readonly RoadmapOption[] {
  const own = buildOptions(session, outline);
  if (session.options.length < 2) return own;
  return session.options.map((option) => own.find(({ id }) => id === option.id) ?? toRoadmapOption(option));
}

function toRoadmapOption({ id, title, description }: PlanScene['session']['options'][number]): RoadmapOption {
  const reason = description || title;
  return { id, title, description, reason, choice: reason };
}

/** Drafts the roadmap, or repairs the last one by its suggested fix. After a refusal fewer dependencies are proposed, and at last none. */
function draftRoadmap(
  scene: PlanScene,
  outline: PlanOutline,
  options: readonly RoadmapOption[],
  failures: number,
): PlanRoadmap {
  const { session, roadmap, context, conversation } = scene;
  const order = readRepairOrder('roadmap', session);
  const [fix] = order?.fixes ?? [];
  if (order && fix && !order.isWhole && roadmap) return roadmapSchema.parse(applyOperations(roadmap, fix));
  const chosen = chooseOption(options, session);
  const { hasRestWeeks } = conversation.changes;
  const start = failures === 0 ? context?.dates.start : undefined;
  const wishes = {
    option: failures === 0 ? chosen : { id: 'independent' },
    hasRestWeeks: failures === 0 && hasRestWeeks && hasOnlyOnce(outline),
  };
  return {
    phases: buildPhases(outline, conversation.goal.circumstances.mayOverlap),
    dependencies:
      failures >= MAX_FAILURES ? [] : buildDependencies(outline, { ...wishes, ...(start !== undefined && { start }) }),
    optionsTried: options.map(({ id, title, reason }) => ({ id, title, reason })),
    choice: { option: chosen.id, reason: chosen.choice },
  };
}

/** Whether nothing is repeated: rest weeks are then between parts, otherwise between sessions. */
function hasOnlyOnce({ nodes }: PlanOutline): boolean {
  return nodes.every(({ time }) => time !== 'recurring');
}
