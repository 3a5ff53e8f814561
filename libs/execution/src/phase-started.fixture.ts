import {
  agentDefinitionSchema,
  foldPhase,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';

const {
  limits,
  context,
  todos: todoLimits,
} = agentDefinitionSchema.parse({
  name: 'tester',
  displayName: 'Tester',
  tools: {},
});

/** Returns the state of a tactical phase after its start and `events`. */
export function foldStartedPhase(
  start: Partial<PhaseEventData<'PhaseStarted'>>,
  ...events: readonly PhaseEvent[]
): PhaseState {
  const data: PhaseEventData<'PhaseStarted'> = {
    jobId: '01890000-0000-7000-8000-000000000001',
    phase: 2,
    attempt: 1,
    state: 'execute',
    kind: 'tactical',
    name: 'Work',
    agent: { name: 'tester', displayName: 'Tester', description: '' },
    model: 'default',
    tools: ['work'],
    todos: [{ id: 1, content: 'Do the thing', status: 'open' }],
    todoLimits,
    tree: {},
    deliverables: [],
    finish: { outcome: 'done', gates: [] },
    archive: false,
    limits,
    allowance: {},
    context,
    ...start,
  };
  return foldPhase([{ type: 'PhaseStarted', data }, ...events])!;
}

/** Builds the request of an inline call with the id `c` that has not run. */
export function buildRequested(name: string, args = {}): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: { callId: 'c', step: 1, name, arguments: args, lane: 'inline', effect: 'pure', traits: [], timeoutMs: 1_000 },
  } as PhaseEvent;
}

export const noBlobs = { get: async () => undefined };
