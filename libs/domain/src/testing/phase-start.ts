import { agentDefinitionSchema } from '../agent/agent-definition.js';
import { pickAgentSettings } from '../agent/agent-settings.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';

/** Changes to the members of a group. */
export type StartChanges = Pick<PhaseEventData<'PhaseStarted'>, 'recording'> & {
  readonly [Group in 'identity' | 'terms' | 'plan' | 'routes' | 'workspace']?: Partial<
    PhaseEventData<'PhaseStarted'>[Group]
  >;
};

/** Builds the start of a tactical phase without tools, todos and files, with the given changes. For specs and labs. */
export function buildPhaseStart(changes: StartChanges = {}): PhaseEvent {
  const agent = agentDefinitionSchema.parse({ name: 'tester', displayName: 'Tester', tools: {} });
  return {
    type: 'PhaseStarted',
    data: {
      identity: {
        jobId: '01890000-0000-7000-8000-000000000001',
        phase: 1,
        attempt: 1,
        state: 'execute',
        kind: 'tactical',
        name: 'Work',
        agent: { name: 'tester', displayName: 'Tester', description: '' },
        ...changes.identity,
      },
      terms: { model: 'default', tools: [], ...pickAgentSettings(agent), allowance: {}, ...changes.terms },
      plan: { todos: [], limits: agent.todos, deliverables: [], archive: false, ...changes.plan },
      workspace: { tree: {}, ...changes.workspace },
      routes: { finish: { outcome: 'done', gates: [] }, ...changes.routes },
      ...(changes.recording ? { recording: changes.recording } : {}),
    },
  };
}
