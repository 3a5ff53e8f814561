import type { JobEvent, JobEventData } from '../job/job-events.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';

const HASH = 'a'.repeat(64);

/** Builds the first event of a job without files, budgets and labels. For specs and labs. */
export function buildJobSubmitted(
  changes: Partial<JobEventData<'JobSubmitted'>> & Pick<JobEventData<'JobSubmitted'>, 'jobId' | 'agent' | 'workflow'>,
): JobEvent {
  return {
    type: 'JobSubmitted',
    data: {
      actor: 'tester',
      requestHash: HASH,
      agentHash: HASH,
      workflowHash: HASH,
      tree: {},
      budgets: {},
      parameters: {},
      labels: {},
      priority: 0,
      tenant: 'default',
      ...changes,
    },
  };
}

/** Builds the start of a model call. For specs and labs. */
export function buildModelCallStarted(
  step: number,
  changes: Partial<PhaseEventData<'ModelCallStarted'>> = {},
): PhaseEvent {
  return {
    type: 'ModelCallStarted',
    data: {
      step,
      model: 'default',
      promptBuilder: 1,
      requestHash: HASH,
      inputTokens: 1_000,
      reservedTokens: 9_000,
      reservedMicroUsd: 500,
      leaseOwner: 'worker',
      epoch: 0,
      ...changes,
    },
  };
}
