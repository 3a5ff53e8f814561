import {
  advancePhase,
  agentDefinitionSchema,
  decideJob,
  evolveJob,
  evolvePhase,
  foldJob,
  MAIN_PLAN_FILE,
  TODOS_FILE,
  type JobState,
  type PhaseEvent,
  type PhaseState,
  type Workflow,
  workflowSchema,
} from '@phaseline/domain';
import { buildJobSubmitted } from '@phaseline/domain/testing';
import { todosPack, workspacePack } from '@phaseline/inline-packs';
import { ToolError } from '@phaseline/contracts';
import { ToolRegistry } from '@phaseline/tools';
import { StagedWorkspace } from '@phaseline/workspace';
import type { Roll } from '../chance.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const MAX_STEPS = 600;
const CONTENTS = ['A', 'B', 'C', 'D', 'E', 'F'];

const registry = new ToolRegistry([workspacePack, todosPack]);
const agent = agentDefinitionSchema.parse({
  name: 'tester',
  displayName: 'Tester',
  tools: {
    workspace: ['write_file', 'delete_file'],
    strategic: ['todo_write', 'todo_complete', 'complete_todo', 'add_todo', 'archive_and_reset', 'job_complete'],
    tactical: ['todo_complete', 'complete_todo', 'start_todo', 'add_todo', 'archive_and_reset', 'todo_rewind'],
  },
  todos: { min: 1, max: 6 },
  limits: { rewinds: 4, gateRejections: 20 },
});

export interface RandomJob {
  readonly job: JobState;
  /** The final state of every phase. */
  readonly phases: readonly PhaseState[];
}

/** Runs a job whose agent makes random calls, with the real deciders and tools, without a database or a model. */
export async function runRandomJob(workflow: Workflow, roll: Roll): Promise<RandomJob> {
  const blobs = new Map<string, Uint8Array>();
  const unchecked = dropChecks(workflow);
  let job = foldJob([
    buildJobSubmitted({ jobId: '01890000-0000-7000-8000-000000000001', agent, workflow: unchecked }),
  ])!;
  const phases: PhaseState[] = [];
  let phase: PhaseState | undefined;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const decision = decideJob(job, phase, NOW);
    for (const event of decision.job) job = evolveJob(job, event);
    if (phase?.end) phases.push(phase);
    if (!decision.next) break;
    const { started } = decision.next;
    // The calls of these phases are not recorded, so no work is found for any todo.
    const { claimRules: _claimRules, ...plan } = started.data.plan;
    phase = evolvePhase(undefined, { ...started, data: { ...started.data, plan } });
    while (!phase.end && step < MAX_STEPS) {
      step += 1;
      phase = await playAnswer(phase, roll, blobs);
    }
    if (!phase.end) break;
  }
  return { job, phases };
}

type Todos = Workflow['states'][string]['todos'];

/** The workflow without what it demands of work: random calls would fulfil hardly anything. */
function dropChecks(workflow: Workflow): Workflow {
  const dropFrom = (todos: Todos): Todos =>
    Array.isArray(todos) ? todos.map((todo) => (typeof todo === 'string' ? todo : todo.content)) : todos;
  const states = Object.entries(workflow.states).map(([name, state]) => {
    const outcomes = Object.entries(state.outcomes).map(([outcome, { checks: _checks, ...transition }]) => [
      outcome,
      'todos' in transition && transition.todos ? { ...transition, todos: dropFrom(transition.todos) } : transition,
    ]);
    return [name, { ...state, todos: dropFrom(state.todos), outcomes: Object.fromEntries(outcomes) as unknown }];
  });
  return workflowSchema.parse({ ...workflow, states: Object.fromEntries(states) as unknown });
}

async function playAnswer(before: PhaseState, roll: Roll, blobs: Map<string, Uint8Array>): Promise<PhaseState> {
  let state = before;
  const record = (...events: readonly PhaseEvent[]): void => {
    for (const event of events) state = evolvePhase(state, event);
  };
  const workspace = new StagedWorkspace(state.tree, { get: async (hash) => blobs.get(hash) });
  for (let call = roll.between(1, 3); call > 0; call -= 1) {
    const [name, args] = drawCall(state, roll);
    const tool = registry.get(name);
    if (tool?.lane !== 'inline' || !state.start.terms.tools.includes(name)) continue;
    if ('problem' in registry.parseArguments(name, args as never)) continue;
    try {
      const outcome = await tool.run({ state, workspace, callId: 'c', now: new Date(0) }, tool.input.parse(args));
      const staged = workspace.stage(outcome.files ?? [], new Date(0), 'c');
      for (const { hash, content } of staged.blobs) if (content instanceof Uint8Array) blobs.set(hash, content);
      record(...staged.facts, ...(outcome.events ?? []));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  const read = async (path: string): Promise<string | undefined> => {
    const bytes = await workspace.read(path);
    return bytes && new TextDecoder().decode(bytes);
  };
  const advance = advancePhase(state, { todosFile: await read(TODOS_FILE), mainPlan: await read(MAIN_PLAN_FILE) });
  record(...advance.events);
  // A finished plan is taken over and its file removed.
  if (state.end?.kind === 'completed' && state.tree[TODOS_FILE]) {
    const { [TODOS_FILE]: _taken, ...tree } = state.tree;
    state = { ...state, tree };
  }
  return state;
}

const NAMES = { phase: 'The work', description: 'What the plan asks for.' };

/** Draws a call: half of the time a sensible one, otherwise any. */
function drawCall(state: PhaseState, roll: Roll): readonly [string, object] {
  const { start, todos } = state;
  const owed = start.plan.obligations ?? [];
  const refs = owed.map(({ phase, id }) => roll.pick<string | number>([`${phase}-${id}`, id]));
  const drawTodos = (): object[] =>
    Array.from({ length: roll.between(0, 4) }, () => ({
      content: roll.pick([...CONTENTS, ...owed.map(({ content }) => content)]),
      ...(roll.happens(0.4) ? { covers: refs.filter(() => roll.happens(0.5)) } : {}),
    }));
  const id = roll.pick([...todos.list.map((todo) => todo.id), 99]);
  if (roll.happens(0.5)) {
    if (start.identity.kind === 'tactical') return ['todo_complete', { notes: 'done' }];
    if (roll.happens(0.4)) return ['todo_complete', {}];
    if (roll.happens(0.4)) return ['job_complete', { summary: 'done', confidence: 1 }];
    return ['todo_write', { ...NAMES, todos: [...drawTodos(), { content: 'The rest', covers: refs }] }];
  }
  return roll.pick<readonly [string, object]>([
    ['todo_write', { ...NAMES, todos: drawTodos() }],
    ['todo_write', { plan_complete: true }],
    [
      'write_file',
      { path: TODOS_FILE, content: JSON.stringify({ todos: drawTodos().map((todo, at) => ({ id: at, ...todo })) }) },
    ],
    ['write_file', { path: TODOS_FILE, content: 'plan_complete: true\n' }],
    ['write_file', { path: MAIN_PLAN_FILE, content: roll.pick(['- [x] One\n', '- [ ] One\n', 'None']) }],
    ['delete_file', { path: TODOS_FILE }],
    ['add_todo', { content: roll.pick(CONTENTS) }],
    ['start_todo', { todo_id: id }],
    ['complete_todo', { todo_id: id }],
    ['todo_rewind', { issue: 'It does not work.' }],
    ['archive_and_reset', roll.happens(0.5) ? { issue: 'Nothing for me.' } : {}],
    ['job_complete', { summary: 'done', confidence: 1 }],
  ]);
}
