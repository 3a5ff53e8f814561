import {
  agentDefinitionSchema,
  foldPhase,
  pickAgentSettings,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';

/** Changes to the members of a group. */
type StartChanges = {
  readonly [Group in 'identity' | 'terms' | 'plan' | 'routes' | 'workspace']?: Partial<
    PhaseEventData<'PhaseStarted'>[Group]
  >;
};

/** Creates a phase that has just started, for the measurement of prompts. */
export function createPhase(changes: StartChanges): PhaseState {
  const agent = agentDefinitionSchema.parse({
    name: 'measured',
    displayName: 'Measured',
    tools: {},
  });
  return foldPhase([
    {
      type: 'PhaseStarted',
      data: {
        identity: {
          jobId: '01890000-0000-7000-8000-000000000001',
          phase: 2,
          attempt: 1,
          state: 'execute',
          kind: 'tactical',
          name: 'Work',
          agent: { name: 'measured', displayName: 'Measured', description: '' },
          ...changes.identity,
        },
        terms: { model: 'default', tools: [], ...pickAgentSettings(agent), allowance: {}, ...changes.terms },
        plan: {
          todos: [{ id: 1, content: 'Work', status: 'open' }],
          limits: agent.todos,
          deliverables: [],
          archive: false,
          ...changes.plan,
        },
        workspace: { tree: {}, ...changes.workspace },
        routes: { finish: { outcome: 'done', gates: [] }, ...changes.routes },
      },
    },
  ])!;
}
