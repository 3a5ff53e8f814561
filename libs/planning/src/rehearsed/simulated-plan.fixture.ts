import { createHash } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import { plannerPolicy, type RehearsalCall } from '@phaseline/rehearsal';
import { computeContentHash } from '../artifacts/content-hash.js';
import type { PatternSpec } from '../artifacts/pattern-spec.js';
import { planContextSchema, type PlanContext } from '../artifacts/plan-context.js';
import { planOutlineSchema, type PlanOutline } from '../artifacts/plan-outline.js';
import type { Roadmap } from '../artifacts/roadmap.js';
import { toCamelCase } from '../artifacts/snake-case.js';
import { DEFAULT_STRATEGY_PROFILE } from '../artifacts/strategy-profile.js';
import { validateOutline } from '../grammar/outline/validate-outline.js';
import { validateRoadmap } from '../grammar/roadmap/validate-roadmap.js';
import type { Violation } from '../grammar/violation.js';
import { findGrammar } from '../patterns/find-grammar.js';
import { planningSettingsSchema } from '@phaseline/contracts';
import { selectPattern, type PatternRequest, type PatternSelection } from '../patterns/select-pattern.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { DEFAULT_INTERACTION_POLICY } from '../policy/interaction-policy.js';

const TODAY = '2026-11-28';
const patterns = readShippedPatterns();
const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');
const hashOf = (value: object): string => computeContentHash(value as JsonObject, hashText);

/** Tools of each stage, as the workflow offers them. */
const stageTools = {
  context: ['context_elicitor', 'preference_probe', 'brainstormer', 'portfolio_probe', 'summarizer'],
  outline: [
    'context_elicitor',
    'pattern_selector',
    'node_generator',
    'grammar_validator',
    'brainstormer',
    'summarizer',
  ],
  roadmap: ['dependency_resolver', 'roadmap_builder', 'option_crafter', 'summarizer'],
  schedule: ['schedule_generator', 'portfolio_probe', 'summarizer'],
  approval: ['summarizer', 'option_crafter'],
} as const;
type Stage = keyof typeof stageTools;

/** What a session knows, as far as the policy reads it. */
export interface SimulatedSession extends JsonObject {
  readonly goal: string;
}

export function buildSession(goal: string, more: JsonObject = {}): SimulatedSession {
  const messages = [{ from: 'person', text: goal }];
  return {
    goal,
    today: TODAY,
    policy: DEFAULT_INTERACTION_POLICY,
    messages,
    violations: [],
    instructions: [],
    narrowed: false,
    options: [],
    ...more,
  };
}

/** The tool whose success ends a stage. */
const lastTools: Readonly<Record<Stage, string>> = {
  context: 'context_elicitor',
  outline: 'node_generator',
  roadmap: 'roadmap_builder',
  schedule: 'schedule_generator',
  approval: 'summarizer',
};

/** Plays one stage: each call of the policy gets the result that `respond` returns. Ends as the stage does, with an answer without calls, or after 8 calls. */
export function playStage(
  stage: Stage,
  files: Readonly<Record<string, object>>,
  respond: (call: RehearsalCall) => object,
): readonly RehearsalCall[] {
  const blocks = Object.entries(files).map(
    ([path, value]) => `### ${path}\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
  );
  const system = `You are the agent "planner" (Planner).\n\n## Files\n\n${blocks.join('\n\n')}\n\n## End`;
  const messages: Parameters<typeof plannerPolicy.answer>[0]['messages'][number][] = [
    { role: 'system', content: system },
    { role: 'user', content: 'Begin.' },
  ];
  const calls: RehearsalCall[] = [];
  while (calls.length < 8) {
    const request = { model: 'rehearsal', messages, tools: [], toolNames: stageTools[stage] };
    const [call] = plannerPolicy.answer(request).calls ?? [];
    if (call === undefined) break;
    const id = `call_${calls.length}`;
    calls.push(call);
    const response = respond(call);
    messages.push(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, function: { name: call.name, arguments: JSON.stringify(call.arguments) } }],
      },
      { role: 'tool', tool_call_id: id, content: JSON.stringify(response) },
    );
    if (call.name === lastTools[stage] && 'ok' in response && response.ok === true) break;
  }
  return calls;
}

export const succeed = (data: unknown = {}): object => ({ ok: true, confidence: 1, explanations: [], data });

/** The context that the tool makes of its arguments: what is absent keeps its default. */
export function buildContext(goal: string, args: JsonObject): PlanContext {
  const more = toCamelCase(args) as Partial<Record<string, unknown>> & {
    readonly hours?: object;
    readonly end?: string;
    readonly start?: string;
  };
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
  return planContextSchema.parse({
    ...{ goal, user: 'ada', zone: 'UTC' },
    calendar: { hours: more.hours ?? days.map((weekday) => ({ weekday, from: '09:00', to: '17:00' })), holidays: [] },
    capacity: { minutesPerDay: more['minutesPerDay'] ?? 240, minutesPerWeek: more['minutesPerWeek'] ?? 1_200 },
    dates: { start: more.start ?? '2026-11-29', ...(more.end !== undefined && { end: more.end }), fixed: [] },
    ...{
      strategy: DEFAULT_STRATEGY_PROFILE,
      portfolioVersion: 0,
      facts: more['facts'] ?? [],
      policy: DEFAULT_INTERACTION_POLICY,
    },
  });
}

/** The context after a call that changes it. */
function changeContext(before: PlanContext, args: JsonObject): PlanContext {
  const { calendar, capacity, dates, ...rest } = before;
  const more = toCamelCase(args) as JsonObject;
  const pick = (value: object): object =>
    Object.fromEntries(Object.entries(value).map(([name, old]) => [name, more[name] ?? old]));
  const end = more['end'] ?? dates.end;
  return planContextSchema.parse({
    ...rest,
    ...{
      calendar: pick(calendar),
      capacity: pick(capacity),
      dates: { ...pick(dates), ...(end !== undefined && { end }) },
    },
  });
}

export interface SimulatedPlan {
  readonly context: PlanContext;
  readonly contextCall: JsonObject;
  readonly selection: PatternSelection;
  readonly outline: PlanOutline;
  readonly roadmap: Roadmap;
  readonly violations: readonly Violation[];
  readonly confidence: number;
}

/** Plans a goal from its context to its roadmap, with the real pattern selection and the real validators. */
export function simulatePlan(goal: string, more: JsonObject = {}): SimulatedPlan {
  const session = buildSession(goal, more);
  const contextCall = findArguments(
    playStage('context', { 'plan/session.json': session }, () => succeed()),
    'context_elicitor',
  );
  return { ...simulateDrafts(session, buildContext(goal, contextCall)), contextCall };
}

/** Plans a goal, and plans it again after the person refused the final plan with words. `feedback` are the arguments that changed the context. */
export function simulateFeedback(goal: string, words: string): SimulatedPlan & { readonly feedback: JsonObject } {
  const { context, contextCall } = simulatePlan(goal);
  const messages = [
    { from: 'person', text: goal },
    {
      from: 'planner',
      text: "The plan is made.\n\nReply 'approve', or 'propose changes: …' with what is to be different.",
    },
    { from: 'person', text: words },
  ];
  const session = buildSession(goal, { messages, instructions: [words] });
  return { ...simulateDrafts(session, context), contextCall };
}

function simulateDrafts(
  session: SimulatedSession,
  before: PlanContext,
): Omit<SimulatedPlan, 'contextCall'> & { readonly feedback: JsonObject } {
  const { selection, outline, violations, confidence, context, feedback } = draftOutline(session, before);
  const files = { 'plan/session.json': session, 'plan/context.json': context, 'plan/outline.json': outline };
  const args = findArguments(
    playStage('roadmap', files, () => succeed()),
    'roadmap_builder',
  );
  const { confidence: _, ...fields } = toCamelCase(args) as JsonObject;
  const roadmap = { outlineHash: hashOf(outline), pattern: selection.pattern, ...fields } as unknown as Roadmap;
  const report = validateRoadmap(roadmap, {
    ...{ outline, outlineHash: hashOf(outline), selectedPattern: selection.pattern },
    grammar: findGrammarOf(selection),
  });
  return {
    context,
    feedback,
    selection,
    outline,
    roadmap,
    violations: [...violations, ...report.violations],
    confidence,
  };
}

/** Drafts an outline with the real pattern selection. */
export function draftOutline(
  session: SimulatedSession,
  before: PlanContext,
  files: Readonly<Record<string, object>> = {},
) {
  let selection: PatternSelection | undefined;
  let context = before;
  let feedback: JsonObject = {};
  const calls = playStage(
    'outline',
    { 'plan/session.json': session, 'plan/context.json': before, ...files },
    (call) => {
      if (call.name === 'context_elicitor') {
        feedback = call.arguments;
        context = changeContext(before, feedback);
        return succeed();
      }
      if (call.name !== 'pattern_selector') return succeed();
      selection = select(call.arguments);
      return succeed({ pattern: toSnake(selection.pattern) });
    },
  );
  if (selection === undefined) throw new Error('no pattern was selected');
  const args = toCamelCase(findArguments(calls, 'node_generator')) as {
    readonly nodes: readonly object[];
    readonly confidence: number;
  };
  const contextHash = hashOf(context);
  const outline = {
    contextHash,
    pattern: selection.pattern,
    nodes: args.nodes.map((node) => ({ ...node, origin: 'system' })),
  } as unknown as PlanOutline;
  const { violations } = validateOutline(outline, {
    context,
    contextHash,
    selectedPattern: selection.pattern,
    grammar: findGrammarOf(selection),
  });
  const parsed = planOutlineSchema.parse(outline);
  return { selection, outline: parsed, violations, confidence: args.confidence, context, feedback };
}

function select(args: JsonObject): PatternSelection {
  const request = toCamelCase(args) as unknown as PatternRequest;
  const tenant = {
    patterns,
    settings: planningSettingsSchema.parse({}).proposals,
    record: { approved: new Set<string>(), refused: new Set<string>() },
  };
  return selectPattern(request, tenant, 'planner');
}

function findGrammarOf({ pattern }: PatternSelection) {
  // A proposed pattern brings the grammar of its source.
  const known: PatternSpec['patternType'] = pattern.patternType.startsWith('proposed:')
    ? pattern.sourcePattern!
    : pattern.patternType;
  return findGrammar({ ...pattern, patternType: known }, patterns);
}

function toSnake({ patternType, subtype, sourcePattern }: PatternSpec): object {
  return { pattern_type: patternType, subtype, source_pattern: sourcePattern };
}

export function findArguments(calls: readonly RehearsalCall[], name: string): JsonObject {
  const found = calls.findLast((call) => call.name === name);
  if (found === undefined) throw new Error(`${name} was not called: ${calls.map((call) => call.name).join(', ')}`);
  return found.arguments;
}
