import { z } from 'zod';

export const phaseKinds = ['strategic', 'tactical'] as const;
export type PhaseKind = (typeof phaseKinds)[number];

/** The checks that a transition can demand. Their code is in `gate/`. */
export const gateNames = ['todos-file', 'deliverables', 'obligations', 'plan-exhausted'] as const;
export type GateName = (typeof gateNames)[number];

const identifier = z.string().regex(/^[a-z][a-z0-9-]*$/, 'expected lower-case letters, digits and dashes');

const transitionSchema = z.union([
  z.strictObject({
    to: identifier,
    gates: z.array(z.enum(gateNames)).default([]),
    /** What the next phase has to do when it is reached this way, in place of its own predefined todos. */
    todos: z.array(z.string().min(1)).min(1).optional(),
  }),
  z.strictObject({ end: z.enum(['completed', 'failed']), gates: z.array(z.enum(gateNames)).default([]) }),
]);
export type Transition = z.infer<typeof transitionSchema>;

const stateSchema = z.strictObject({
  kind: z.enum(phaseKinds),
  title: z.string().min(1),
  /** Predefined todos, or `from-file`: those that the phase before left in `todos.yaml`. */
  todos: z.union([z.literal('from-file'), z.array(z.string().min(1)).min(1)]),
  /** The outcome that the last completed todo stands for. */
  finish: identifier,
  /** The outcome that `job_complete` stands for; without it the tool is not offered in this state. */
  completion: identifier.optional(),
  /** The outcome of a last completed todo when the plan has no phase left; without it there always has to be a next list. */
  exhausted: identifier.optional(),
  /** The outcome of a list that is given up; without it nobody can rewind this state. */
  rewind: identifier.optional(),
  outcomes: z.record(identifier, transitionSchema),
  /** How often a failed phase of this state is tried again, with the todos and files it had. */
  retries: z.int().min(0).max(20).default(1),
  /** Wait before a phase whose model could not be reached is tried again, in milliseconds; doubled for each further try. */
  backoffMs: z.int().min(0).max(3_600_000).default(2_000),
  /** Whether the todos are kept under `archive/` when the phase has ended. */
  archive: z.boolean().default(false),
});
export type WorkflowState = z.infer<typeof stateSchema>;

/** A state machine as data: what follows what, through which gates, and how often. */
export const workflowSchema = z
  .strictObject({
    name: identifier,
    version: z.int().min(1),
    description: z.string().default(''),
    start: identifier,
    states: z.record(identifier, stateSchema),
    caps: z.strictObject({ phases: z.int().min(1).max(10_000).default(60) }).prefault({}),
  })
  .superRefine((workflow, context) => {
    const complain = (path: PropertyKey[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    const known = Object.keys(workflow.states).join(', ');
    if (!workflow.states[workflow.start]) complain(['start'], `expected one of the states: ${known}`);
    const start = workflow.states[workflow.start];
    if (start?.todos === 'from-file')
      complain(['states', workflow.start, 'todos'], 'the first state needs predefined todos');
    for (const [name, state] of Object.entries(workflow.states)) {
      const outcomes = Object.keys(state.outcomes).join(', ');
      if (!state.outcomes[state.finish])
        complain(['states', name, 'finish'], `expected one of the outcomes: ${outcomes}`);
      if (state.completion !== undefined && !state.outcomes[state.completion]) {
        complain(['states', name, 'completion'], `expected one of the outcomes: ${outcomes}`);
      }
      if (state.completion !== undefined && state.kind !== 'strategic') {
        complain(['states', name, 'completion'], 'only a strategic state can end the job');
      }
      if (state.exhausted !== undefined && !state.outcomes[state.exhausted])
        complain(['states', name, 'exhausted'], `expected one of the outcomes: ${outcomes}`);
      if (state.exhausted !== undefined && state.kind !== 'strategic')
        complain(['states', name, 'exhausted'], 'only a strategic state can find that the plan is exhausted');
      if (state.rewind !== undefined && !state.outcomes[state.rewind])
        complain(['states', name, 'rewind'], `expected one of the outcomes: ${outcomes}`);
      if (state.rewind !== undefined && state.kind !== 'tactical')
        complain(['states', name, 'rewind'], 'only a tactical state can be rewound');
      const rewound = state.rewind === undefined ? undefined : state.outcomes[state.rewind];
      const leadsOn = rewound && ('to' in rewound ? workflow.states[rewound.to]?.kind : rewound.end);
      if (leadsOn === 'tactical' || leadsOn === 'completed')
        complain(
          ['states', name, 'rewind'],
          'a list that is given up has to lead to a strategic state, or to a failed end',
        );
      for (const [outcome, transition] of Object.entries(state.outcomes)) {
        if (!('to' in transition)) continue;
        const next = workflow.states[transition.to];
        if (!next) complain(['states', name, 'outcomes', outcome, 'to'], `expected one of the states: ${known}`);
        else if (next.todos === 'from-file' && !transition.gates.includes('todos-file')) {
          complain(
            ['states', name, 'outcomes', outcome, 'gates'],
            `'${transition.to}' takes its todos from the file, so 'todos-file' must be among the gates`,
          );
        }
      }
    }
  });
export type Workflow = z.infer<typeof workflowSchema>;
