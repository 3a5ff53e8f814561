import { agentDefinitionSchema, foldPhase, type PhaseEventData, type PhaseState } from '@phaseline/domain';

/** Creates a phase that has just started, for the measurement of prompts. */
export function createPhase(changes: Partial<PhaseEventData<'PhaseStarted'>>): PhaseState {
  const {
    limits,
    context,
    todos: todoLimits,
  } = agentDefinitionSchema.parse({
    name: 'measured',
    displayName: 'Measured',
    tools: {},
  });
  return foldPhase([
    {
      type: 'PhaseStarted',
      data: {
        jobId: '01890000-0000-7000-8000-000000000001',
        phase: 2,
        attempt: 1,
        state: 'execute',
        kind: 'tactical',
        name: 'Work',
        agent: { name: 'measured', displayName: 'Measured', description: '' },
        model: 'default',
        tools: [],
        todos: [{ id: 1, content: 'Work', status: 'open' }],
        todoLimits,
        tree: {},
        deliverables: [],
        finish: { outcome: 'done', gates: [] },
        archive: false,
        limits,
        allowance: {},
        context,
        ...changes,
      },
    },
  ])!;
}
