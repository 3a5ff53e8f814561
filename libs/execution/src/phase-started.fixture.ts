import {
  agentDefinitionSchema,
  foldPhase,
  pickAgentSettings,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';

const agent = agentDefinitionSchema.parse({
  name: 'tester',
  displayName: 'Tester',
  tools: {},
});

/** Changes to the members of a group. */
type StartChanges = Pick<PhaseEventData<'PhaseStarted'>, 'recording'> & {
  readonly [Group in 'identity' | 'terms' | 'plan' | 'routes' | 'workspace']?: Partial<
    PhaseEventData<'PhaseStarted'>[Group]
  >;
};

/** Returns the state of a tactical phase after its start and `events`. */
export function foldStartedPhase(start: StartChanges, ...events: readonly PhaseEvent[]): PhaseState {
  const data: PhaseEventData<'PhaseStarted'> = {
    identity: {
      jobId: '01890000-0000-7000-8000-000000000001',
      phase: 2,
      attempt: 1,
      state: 'execute',
      kind: 'tactical',
      name: 'Work',
      agent: { name: 'tester', displayName: 'Tester', description: '' },
      ...start.identity,
    },
    terms: { model: 'default', tools: ['work'], ...pickAgentSettings(agent), allowance: {}, ...start.terms },
    plan: {
      todos: [{ id: 1, content: 'Do the thing', status: 'open' }],
      limits: agent.todos,
      deliverables: [],
      archive: false,
      ...start.plan,
    },
    workspace: { tree: {}, ...start.workspace },
    routes: { finish: { outcome: 'done', gates: [] }, ...start.routes },
    ...(start.recording ? { recording: start.recording } : {}),
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
