import { jsonObjectSchema } from '@phaseline/basics';
import { checksSchema, jsonPointerSchema } from '@phaseline/checks';
import { localPathSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { itemMoves } from '../item/item-events.js';
import { phaseFailureCodes } from '../phase/failure-codes.js';

export const phaseKinds = ['strategic', 'tactical'] as const;
export type PhaseKind = (typeof phaseKinds)[number];

/** Checks that a transition can require. They are implemented in `gate/`. */
export const gateNames = ['todos-file', 'deliverables', 'obligations', 'plan-exhausted'] as const;
export type GateName = (typeof gateNames)[number];

const identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'expected lower-case letters, digits, dashes and underscores');

/** A predefined todo: its text, or its text with what must hold before it is done. */
const predefinedTodoSchema = z.union([
  z.string().min(1),
  z.strictObject({ content: z.string().min(1), checks: checksSchema.min(1) }),
]);
export type PredefinedTodo = z.infer<typeof predefinedTodoSchema>;

/** What an outcome is, in addition to where it leads. */
const outcomeMembers = {
  gates: z.array(z.enum(gateNames)).default([]),
  /** What the end of a phase must fulfil before the transition, in addition to its gates. */
  checks: checksSchema.min(1).optional(),
  /**
   * How the outcome is chosen: `returned` when `phase_return` names it, or checks: it is chosen once the work is done and they hold. If
   * absent, a member of the state such as `finish` names it.
   */
  when: z.union([z.literal('returned'), checksSchema.min(1)]).optional(),
  /** Whether it may be returned while todos are open, as for work that cannot be done. */
  early: z.literal(true).optional(),
  /** What it says about the item of the loop that the phase worked on. */
  item: z.enum(itemMoves).optional(),
};

/** How the work is handed over to the agent of the next state. */
const handoffSettingsSchema = z.strictObject({
  /** Paths that must exist before the receiver begins. */
  requires: z.array(localPathSchema).max(20).default([]),
  /** Minimum percentage of covered lines that the receiver has to find, where a verifier reads coverage. */
  coverageMin: z.number().min(0).max(100).default(80),
  /** Milliseconds after which the receiver is stopped, and the handoff returns to the sender; no limit if absent. */
  timeoutMs: z.int().min(1_000).max(31_536_000_000).optional(),
});
export type HandoffSettings = z.infer<typeof handoffSettingsSchema>;

/** Ends of a job that a workflow can name. `cancelled` is for outcomes by which a person stops the job, `aborted` for caps. */
const workflowEnds = ['completed', 'failed', 'blocked', 'aborted', 'cancelled'] as const;

/** Ends that say why as a code for programs. */
const endsWithCode: readonly string[] = ['failed', 'blocked', 'aborted'];

/** Stands for every code of a failure that `failures` does not name. */
export const OTHER_FAILURES = 'other';

const transitionSchema = z.union([
  z.strictObject({
    to: identifier,
    /** Todos of the next phase when it is reached by this transition, instead of its predefined ones. */
    todos: z.array(predefinedTodoSchema).min(1).optional(),
    /** Where it leads when no item of the loop is left. */
    none: identifier.optional(),
    handoff: handoffSettingsSchema.optional(),
    ...outcomeMembers,
  }),
  z.strictObject({
    end: z.enum(workflowEnds),
    /** Why the job ends, as a code for programs, if it is not completed. */
    code: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,62}$/, 'expected lower-case letters, digits and underscores')
      .optional(),
    /** Where the return of the phase lists what is blocked: texts, or objects with `id` and `reason`. */
    items: jsonPointerSchema.optional(),
    ...outcomeMembers,
  }),
]);
export type Transition = z.infer<typeof transitionSchema>;

/** A tool that decides how a phase ends: the member `outcome` of its result names the outcome. No model can call it. */
const controllerSchema = z.strictObject({
  tool: z.string().min(1).max(200),
  arguments: jsonObjectSchema.default({}),
  /** When it decides: once these checks hold. If absent, at once, so that no model is called. */
  after: checksSchema.min(1).optional(),
});

const stateSchema = z.strictObject({
  /** Agent of the phases of this state; that of the job if absent. Its phases end with a return. */
  agent: identifier.optional(),
  kind: z.enum(phaseKinds),
  title: z.string().min(1),
  /** Predefined todos, or `from-file` for those that the previous phase left in `todos.yaml`. Absent in a state with a controller. */
  todos: z.union([z.literal('from-file'), z.array(predefinedTodoSchema).min(1)]).optional(),
  /** Outcome when the last todo is completed. */
  finish: identifier.optional(),
  /** What decides how a phase without todos ends. */
  controller: controllerSchema.optional(),
  /** What a phase without todos has to do, for the model. */
  objective: z.string().min(1).max(4_000).optional(),
  /** The tools that phases of this state offer, of those that their agent has; all of them if absent. */
  tools: z.array(z.string().min(1).max(200)).min(1).optional(),
  /** Files of the workspace that the prompt of the phase contains, as they are when it begins. Those that do not exist are left out. */
  shows: z.array(localPathSchema).min(1).max(20).optional(),
  /** Outcome of `job_complete`. If absent, the tool is not offered in this state. */
  completion: identifier.optional(),
  /** Outcome when the last todo is completed and the plan has no phase left. If absent, there must always be a next list. */
  exhausted: identifier.optional(),
  /** Outcome when the list is abandoned. If absent, lists of this state cannot be abandoned. */
  rewind: identifier.optional(),
  outcomes: z.record(identifier, transitionSchema),
  /** Outcome of a phase that failed and is not retried, instead of the end of the job. Caps of the job still end it. */
  failure: identifier.optional(),
  /** Outcomes by the code of the failure, instead of the end of the job, also for caps of the job; `other` stands for all other codes. */
  failures: z.partialRecord(z.enum([...phaseFailureCodes, OTHER_FAILURES]), identifier).optional(),
  /** Number of times a failed phase of this state is retried, with the todos and files it had. */
  retries: z.int().min(0).max(20).default(1),
  /** Milliseconds before a phase whose model could not be reached is retried; doubled for each further attempt. */
  backoffMs: z.int().min(0).max(3_600_000).default(2_000),
  /** Whether the todos are archived under `archive/` when the phase ends. */
  archive: z.boolean().default(false),
});
export type WorkflowState = z.infer<typeof stateSchema>;

/** A loop over items: where the system writes what became of them, and how often an item is tried. */
const itemsSettingsSchema = z.strictObject({
  /** JSON file with the items, written by the system alone. */
  file: localPathSchema,
  /** JSON file with the state of the loop, written by the system at each transition. */
  session: localPathSchema,
  /** Number of failed attempts after which an item is blocked. */
  attempts: z.int().min(1).max(20).default(2),
  /** The state that works on an item. */
  work: identifier,
});

/** A workflow: a state machine that defines which phase follows which, through which gates, and how often. */
export const workflowSchema = z
  .strictObject({
    name: identifier,
    version: z.int().min(1),
    description: z.string().default(''),
    start: identifier,
    states: z.record(identifier, stateSchema),
    /** The loop over items, such as features: they are worked on one after the other. */
    items: itemsSettingsSchema.optional(),
    caps: z.strictObject({ phases: z.int().min(1).max(10_000).default(60) }).prefault({}),
  })
  .superRefine((workflow, context) => {
    const addIssue = (path: PropertyKey[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    const known = Object.keys(workflow.states).join(', ');
    if (!workflow.states[workflow.start]) addIssue(['start'], `expected one of the states: ${known}`);
    const start = workflow.states[workflow.start];
    if (start?.todos === 'from-file')
      addIssue(['states', workflow.start, 'todos'], 'the first state needs predefined todos');
    if (workflow.items && !workflow.states[workflow.items.work])
      addIssue(['items', 'work'], `expected one of the states: ${known}`);
    for (const [name, state] of Object.entries(workflow.states)) {
      const outcomes = Object.keys(state.outcomes).join(', ');
      for (const [member, message] of findControllerProblems(state)) addIssue(['states', name, member], message);
      if (state.todos !== undefined && !(state.finish !== undefined && state.outcomes[state.finish]))
        addIssue(['states', name, 'finish'], `expected one of the outcomes: ${outcomes}`);
      if (state.completion !== undefined && !state.outcomes[state.completion]) {
        addIssue(['states', name, 'completion'], `expected one of the outcomes: ${outcomes}`);
      }
      if (state.completion !== undefined && state.agent !== undefined)
        addIssue(['states', name, 'completion'], "a state with an 'agent' ends with a return, not with job_complete");
      if (state.completion !== undefined && state.kind !== 'strategic') {
        addIssue(['states', name, 'completion'], 'only a strategic state can end the job');
      }
      if (state.failure !== undefined && !state.outcomes[state.failure])
        addIssue(['states', name, 'failure'], `expected one of the outcomes: ${outcomes}`);
      for (const [code, outcome] of Object.entries(state.failures ?? {}))
        if (!state.outcomes[outcome])
          addIssue(['states', name, 'failures', code], `expected one of the outcomes: ${outcomes}`);
      if (state.exhausted !== undefined && !state.outcomes[state.exhausted])
        addIssue(['states', name, 'exhausted'], `expected one of the outcomes: ${outcomes}`);
      if (state.exhausted !== undefined && state.kind !== 'strategic')
        addIssue(['states', name, 'exhausted'], 'only a strategic state can find that the plan is exhausted');
      if (state.rewind !== undefined && !state.outcomes[state.rewind])
        addIssue(['states', name, 'rewind'], `expected one of the outcomes: ${outcomes}`);
      if (state.rewind !== undefined && state.kind !== 'tactical')
        addIssue(['states', name, 'rewind'], 'only a tactical state can be rewound');
      const rewound = state.rewind === undefined ? undefined : state.outcomes[state.rewind];
      const rewindTarget = rewound && ('to' in rewound ? workflow.states[rewound.to]?.kind : rewound.end);
      if (rewindTarget === 'tactical' || rewindTarget === 'completed')
        addIssue(['states', name, 'rewind'], 'a rewind must lead to a strategic state or to a failed end');
      for (const [outcome, transition] of Object.entries(state.outcomes)) {
        for (const [path, message] of findOutcomeProblems(state, outcome, transition))
          addIssue(['states', name, 'outcomes', outcome, path], message);
        for (const [path, message] of findItemProblems(workflow, transition))
          addIssue(['states', name, 'outcomes', outcome, path], message);
        if (!('to' in transition)) continue;
        const next = workflow.states[transition.to];
        if (!next) addIssue(['states', name, 'outcomes', outcome, 'to'], `expected one of the states: ${known}`);
        else if (next.todos === 'from-file' && !transition.gates.includes('todos-file')) {
          addIssue(
            ['states', name, 'outcomes', outcome, 'gates'],
            `'${transition.to}' takes its todos from the file, so 'todos-file' must be among the gates`,
          );
        }
      }
    }
  });
export type Workflow = z.infer<typeof workflowSchema>;

/** Whether phases of the state hand in the items of the loop. */
export function listsItems({ outcomes }: WorkflowState): boolean {
  return Object.values(outcomes).some(({ item }) => item === 'listed');
}

/** Members of a state that name an outcome. */
const namingMembers = ['finish', 'completion', 'exhausted', 'rewind'] as const;

/** Finds what contradicts itself in how the end of a phase is decided: by its todos or by a controller. */
function* findControllerProblems(state: WorkflowState): Generator<readonly [member: string, message: string]> {
  const { controller } = state;
  if (!controller) {
    if (state.todos === undefined) yield ['todos', "expected todos, or a 'controller' that decides how phases end"];
    if (state.objective !== undefined) yield ['objective', "expected a 'controller': with todos, these say what to do"];
    return;
  }
  for (const member of ['todos', ...namingMembers, 'agent', 'archive'] as const)
    if (state[member] !== undefined && state[member] !== false)
      yield [member, "the 'controller' decides how phases end, and they have no todos: remove one of the two"];
  for (const [outcome, { gates, checks }] of Object.entries(state.outcomes))
    if (gates.length > 0 || checks !== undefined)
      yield ['outcomes', `${outcome}: the result of the 'controller' is what decides; remove its gates and checks`];
  if (controller.after === undefined && state.shows !== undefined)
    yield ['shows', "expected 'after' of the controller: without it, no model is called"];
  if (controller.after === undefined && state.objective !== undefined)
    yield ['objective', "expected 'after' of the controller: without it, no model is called"];
}

/** Finds what contradicts itself in how an outcome is chosen, each problem with the member that has it. */
function* findOutcomeProblems(
  state: WorkflowState,
  outcome: string,
  transition: Transition,
): Generator<readonly [member: string, message: string]> {
  const { when, early } = transition;
  if (when !== undefined && state.controller)
    yield ['when', "the result of the 'controller' names the outcome; remove 'when'"];
  const namedBy = namingMembers.find((member) => state[member] === outcome);
  if (when !== undefined && namedBy !== undefined)
    yield ['when', `'${namedBy}' names this outcome already; remove 'when', or name another outcome there`];
  if (when === 'returned' && state.agent === undefined)
    yield ['when', "only a state with an 'agent' ends with a return; add one, or give checks"];
  if (early && when !== 'returned') yield ['early', "expected 'when: returned': only a return can leave todos open"];
  if ('to' in transition) return;
  if (transition.code !== undefined && !endsWithCode.includes(transition.end))
    yield ['code', `expected one of the ends ${endsWithCode.join(', ')}: others have no code`];
  if (transition.items !== undefined && transition.end !== 'blocked')
    yield ['items', "expected 'end: blocked': other ends have no items"];
  if (transition.items !== undefined && state.agent === undefined)
    yield ['items', "only a state with an 'agent' has a return with items"];
}

/** Finds what contradicts itself in what an outcome says about the items of a loop. */
function* findItemProblems(
  { items, states }: { readonly items?: unknown; readonly states: Readonly<Record<string, WorkflowState>> },
  transition: Transition,
): Generator<readonly [member: string, message: string]> {
  const { item } = transition;
  if (item !== undefined && !items) yield ['item', "expected 'items' of the workflow: it has no loop"];
  if (item !== undefined && !('to' in transition)) yield ['item', "expected 'to': the loop continues in a state"];
  if (!('to' in transition)) return;
  const { none } = transition;
  const mayBeLast = item === 'tested' || item === 'failed';
  if (none !== undefined && !mayBeLast) yield ['none', "expected 'item: tested' or 'item: failed'"];
  if (none === undefined && mayBeLast) yield ['item', "expected 'none', the state that follows the last item"];
  if (none !== undefined && !states[none])
    yield ['none', `expected one of the states: ${Object.keys(states).join(', ')}`];
}
