import { planningSettingsSchema } from '@phaseline/contracts';
import { createHash } from 'node:crypto';
import { toCanonicalJson } from '@phaseline/basics';
import { openContext, openSession, patternDefinitionSchema, planRequestSchema } from '@phaseline/planning';

/*
 * A plan with as many nodes as the schemas allow, for the tools of the planner. Its artifacts are valid, so that every rule looks at all of it.
 */

/** Tasks of the plan; with its phase, the maximum number of nodes. */
const TASKS = 999;
const LINE = 'The part is done when a person has looked at it.';

const hashOf = (artifact: object): string => createHash('sha256').update(toCanonicalJson(artifact)).digest('hex');

const features = Object.fromEntries(
  ['endDate', 'recurrence', 'cumulativeMeasure', 'changeOfState'].map((name) => [name, { expected: 0, weight: 1 }]),
);
const definition = patternDefinitionSchema.parse({
  ...{ pattern: 'milestone_project', description: 'A project.', features, subtypes: [] },
  ...{ contains: { plan: ['L1 once'], 'L1 once': ['L3 once'] }, level1: { min: 1, max: 2, mayOverlap: false } },
  ...{ needs: ['L3 once'], ends: {} },
});

const ids = Array.from({ length: TASKS }, (_, index) => `t${index}`);
const nodes = [
  { id: 'p', parent: null, level: 'L1', time: 'once', title: 'The whole', origin: 'system' },
  ...ids.map((id) => ({
    ...{ id, parent: 'p', level: 'L3', time: 'once', title: `Do part ${id}`, estimateMinutes: 60, origin: 'system' },
  })),
];
const dependencies = ids.slice(1).map((id, index) => ({
  ...{ from: ids[index]!, to: id, kind: 'FS', lag: { amount: 0, unit: 'minutes', time: 'working' } },
}));

/** Hours after the first task of the plan. */
const toInstant = (hour: number): string => new Date(Date.UTC(2027, 0, 4, hour)).toISOString();

/** Files of the plan by path. */
export const planFiles: Readonly<Record<string, string>> = buildPlanFiles();

function buildPlanFiles(): Record<string, string> {
  const request = planRequestSchema.parse({ goal: 'Build a house', user: 'ada' });
  const opened = openSession(request, {
    user: 'ada',
    today: '2027-01-04',
    patterns: [definition],
    goalId: 'house',
    settings: planningSettingsSchema.parse({}),
  });
  const pattern = { patternType: 'milestone_project', introducedBy: 'system' } as const;
  const context = { ...openContext(request, opened), pattern };
  const outline = { contextHash: hashOf(context), pattern, nodes };
  const roadmap = {
    ...{ outlineHash: hashOf(outline), pattern, dependencies },
    phases: [{ node: 'p', mayOverlap: false, milestones: [], tasks: ids }],
    optionsTried: ['a', 'b'].map((id) => ({ id, title: id, reason: LINE })),
    choice: { option: 'a', reason: LINE },
  };
  const hashes = { context: hashOf(context), outline: hashOf(outline), roadmap: hashOf(roadmap) };
  const schedule = {
    roadmapHash: hashOf(roadmap),
    tasks: ids.map((task, index) => ({
      ...{ task, start: toInstant(index), end: toInstant(index + 1), zone: 'UTC', floatMinutes: 0, critical: true },
    })),
  };
  const approved = { context, outline, roadmap, schedule };
  const plan = toCanonicalJson(approved);
  const named = { planId: 'plan', contentHash: hashOf(schedule) };
  const session = { ...opened, hashes, stage: 'outline', selectedPattern: pattern, patternDistance: 0.5 };
  return {
    'parameters.json': JSON.stringify({ goal: 'Build a house', user: 'ada', ...named }),
    'documents/plan.json': plan,
    'documents/earlier-plan.json': toCanonicalJson({ planId: 'plan', plan: approved, messages: [] }),
    'plan/plan.json': plan,
    'plan/planned.json': JSON.stringify({ planId: 'plan' }),
    'plan/run.json': JSON.stringify({ ...named, people: 'confirm', items: {}, earlier: [] }),
    'patterns/milestone_project.json': JSON.stringify(definition),
    'plan/session.json': toCanonicalJson(session),
    'plan/context.json': toCanonicalJson(context),
    'plan/outline.json': toCanonicalJson(outline),
    'plan/roadmap.json': toCanonicalJson(roadmap),
  };
}

const confidence = 0.9;
const options = ['a', 'b', 'c'].map((id) => ({ id, title: id, description: LINE }));
const described = [{ title: LINE, description: LINE }];

/** One call of each tool and controller of the planner. */
export const planningCases: readonly { tool: string; what: string; args: Record<string, unknown> }[] = [
  { tool: 'open_session', what: 'continues a plan of 999 tasks', args: {} },
  { tool: 'context_elicitor', what: '', args: { end: '2030-01-01', confidence } },
  { tool: 'preference_probe', what: '', args: { overrides: { talkativeness: 0 }, words: LINE, confidence } },
  { tool: 'brainstormer', what: '', args: { ideas: described, confidence } },
  {
    tool: 'pattern_selector',
    what: '',
    args: { features: { end_date: 1, recurrence: 0, cumulative_measure: 0, change_of_state: 0 }, confidence },
  },
  {
    tool: 'node_generator',
    what: '1,000 nodes',
    args: {
      nodes: nodes.map(({ origin: _, ...node }) =>
        'estimateMinutes' in node ? { ...node, estimate_minutes: 60, estimateMinutes: undefined } : node,
      ),
      confidence,
    },
  },
  { tool: 'grammar_validator', what: '1,000 nodes', args: {} },
  { tool: 'option_crafter', what: '', args: { options, confidence } },
  {
    tool: 'roadmap_builder',
    what: '999 tasks in a chain',
    args: {
      phases: [{ node: 'p', may_overlap: false, milestones: [], tasks: ids }],
      dependencies,
      options_tried: ['a', 'b'].map((id) => ({ id, title: id, reason: LINE })),
      choice: { option: 'a', reason: LINE },
      confidence,
    },
  },
  { tool: 'summarizer', what: '', args: { text: LINE.repeat(80), call_to_action: LINE, confidence } },
  {
    tool: 'approval_handler',
    what: 'of another artifact',
    args: { kind: 'schedule', job: 'job', content_hash: '0'.repeat(64), summary: LINE },
  },
  { tool: 'assess_context', what: '', args: {} },
  { tool: 'assess_stage', what: '1,000 nodes', args: { stage: 'outline' } },
  { tool: 'validate_artifact', what: 'a roadmap of 999 tasks', args: { stage: 'roadmap' } },
  { tool: 'request_approval', what: 'without one', args: {} },
  { tool: 'clarify', what: 'without a question', args: {} },
  { tool: 'open_plan_run', what: '999 tasks', args: {} },
  { tool: 'run_tasks', what: '999 tasks in a chain', args: {} },
  { tool: 'remake_plan', what: '', args: {} },
  { tool: 'delegate_plan', what: '', args: {} },
  { tool: 'store_plan_in_graph', what: '999 tasks in a chain', args: {} },
];
