import type { AgentDefinition } from '../agent/agent-definition.js';
import type { JobEventData } from '../job/job-events.js';
import type { JobDefinition, JobState } from '../job/job-state.js';

/**
 * The fork as it begins, out of the parent as it stood. What somebody asked of the parent (to pause, to end, when to be
 * done) was not asked of the fork.
 */
export function forkedJob(parent: JobState, forked: JobEventData<'JobForked'>): JobState {
  const {
    paused: _paused,
    cancelRequested: _cancel,
    lastAsked: _asked,
    deadlineAt: _deadline,
    nextDefinition,
    completion: _completion,
    failure: _failure,
    ...kept
  } = parent;
  const { jobId, actor, requestHash, labels, budgets = parent.budgets, deadlineAt, at, mode } = forked;
  // What the parent was to run by from its next phase on; a definition of the fork's own counts at once.
  const next = forked.definition ? undefined : nextDefinition;
  return {
    ...kept,
    version: 1,
    submitted: { ...parent.submitted, jobId, actor, requestHash, labels },
    definition: changedDefinition(forked.definition ?? parent.definition, forked),
    ...(next ? { nextDefinition: changedDefinition(next, forked) } : {}),
    budgets,
    status: parent.phases === 0 ? 'submitted' : 'running',
    ...(deadlineAt === undefined ? {} : { deadlineAt }),
    timers: Object.fromEntries(Object.entries(parent.timers).filter(([, { kind }]) => kind !== 'deadline')),
    fork: { parent: forked.parent, at, mode },
  };
}

type Changes = Pick<JobEventData<'JobForked'>, 'models' | 'limits'>;

/** A definition with the models and limits of the fork in place of its own. */
export function changedDefinition(definition: JobDefinition, changes: Changes): JobDefinition {
  const { models, limits } = changes;
  if (!models && !limits) return definition;
  const { agent } = definition;
  const changed: AgentDefinition = {
    ...agent,
    models: { ...agent.models, ...given(models) },
    limits: { ...agent.limits, ...given(limits) },
  };
  return { ...definition, agent: changed };
}

function given<Values extends object>(
  values: Values | undefined,
): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Values]?: NonNullable<Values[Key]> };
}
