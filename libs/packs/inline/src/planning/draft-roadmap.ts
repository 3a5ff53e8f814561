import type { JsonValue } from '@phaseline/basics';
import type { planningSpec } from '@phaseline/pack-specs';
import { ToolError } from '@phaseline/contracts';
import {
  countOptions,
  describeRoadmapChange,
  isBrainstormerOffered,
  planPaths,
  roadmapSchema,
  toCamelCase,
} from '@phaseline/planning';
import type { ToolInput } from '@phaseline/tools';
import { readTextIfExists } from '../read-text-if-exists.js';
import { explainCause } from './explain-cause.js';
import { toJson } from './plan-work.js';
import { makePlanningTool } from './run-planning-tool.js';

type RoadmapInput = ToolInput<typeof planningSpec, 'roadmap_builder'>;

/** Records the roadmap with the options that were tried. */
export const buildRoadmap = makePlanningTool('roadmap_builder', async (work, input: RoadmapInput, { workspace }) => {
  const { session, artifacts } = work;
  const resolved = await readTextIfExists(workspace, planPaths.dependencies);
  const dependencies =
    input.dependencies ??
    (resolved === undefined ? [] : (JSON.parse(resolved) as { dependencies: JsonValue }).dependencies);
  const { confidence, ...content } = input;
  const camel = toCamelCase(toJson({ ...content, dependencies }));
  const roadmap = roadmapSchema.parse({
    ...(camel as object),
    outlineHash: session.hashes.outline,
    pattern: session.selectedPattern,
  });
  const before = artifacts.roadmap;
  const change = before && describeRoadmapChange(before, roadmap, explainCause(session));
  const contentHash = work.recordArtifact('roadmap', roadmap);
  if (change) work.recordAdaptation(change);
  work.session = { ...work.session, hasFeedback: false };
  const { optionsTried, choice } = roadmap;
  return {
    confidence,
    explanations: [`Option ${choice.option}: ${choice.reason}`],
    data: { roadmap, optionsTried, contentHash },
  };
});

type OptionsInput = ToolInput<typeof planningSpec, 'option_crafter'>;

/** Records the variants that the person can choose from. */
export const craftOptions = makePlanningTool('option_crafter', (work, { options, confidence }: OptionsInput) => {
  const expected = countOptions(work.session.policy);
  if (options.length !== expected)
    throw new RangeError(`Give ${expected} options: that is how many this person wants to see.`);
  const ids = new Set(options.map(({ id }) => id));
  if (ids.size < options.length) throw new RangeError('Give every option an id of its own.');
  work.session = { ...work.session, options: options.map((option) => ({ ...option })) };
  return { confidence, explanations: options.map(({ title }) => title), data: { options } };
});

type IdeasInput = ToolInput<typeof planningSpec, 'brainstormer'>;

/** Words with which a person asks for ideas. */
const ASKS_FOR_IDEAS = /\b(?:brainstorm|ideas?|suggestions?)\b/i;

/** Records ideas, if the person wants ideas now. */
export const brainstorm = makePlanningTool('brainstormer', (work, { ideas, confidence }: IdeasInput) => {
  const { policy, messages, band, stage } = work.session;
  const asked = messages.findLast(({ from }) => from === 'person')?.text ?? '';
  const moment = { isOutlineStage: stage === 'outline', hasPersonAsked: ASKS_FOR_IDEAS.test(asked), band };
  if (!isBrainstormerOffered(policy.brainstormingPreference, moment))
    throw new ToolError('not_wanted', 'Not executed: this person does not want ideas now. Continue without them.');
  work.session = { ...work.session, ideas: ideas.map((idea) => ({ ...idea })) };
  return { confidence, explanations: ideas.map(({ title }) => title), data: { ideas } };
});
