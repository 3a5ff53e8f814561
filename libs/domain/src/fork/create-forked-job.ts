import type { AgentDefinition } from '../agent/agent-definition.js';
import type { JobEventData } from '../job/job-events.js';
import type { RepositoryState } from '../repository/repository-state.js';
import type { JobDefinition, JobState } from '../job/job-state.js';

/**
 * Creates the initial state of a fork from the state of its parent. A pause, a cancellation, the deadline and overrides of guards of the
 * parent do not apply to the fork, and neither do the outputs of its repository: an open one would be made a second time.
 */
export function createForkedJob(parent: JobState, forked: JobEventData<'JobForked'>): JobState {
  const {
    paused: _paused,
    cancelRequested: _cancel,
    lastRequest: _lastRequest,
    deadlineAt: _deadline,
    guardOverrides: _overrides,
    nextDefinition,
    completion: _completion,
    failure: _failure,
    repository,
    ...kept
  } = parent;
  const {
    jobId,
    actor,
    requestHash,
    labels,
    budgets = parent.budgets,
    deadlineAt,
    position,
    mode,
    unrecorded,
    instructions,
  } = forked;
  // The parent's pending definition is inherited, unless the fork has its own, which applies immediately.
  const next = forked.definition ? undefined : nextDefinition;
  return {
    ...kept,
    version: 1,
    submitted: {
      ...parent.submitted,
      ...{ jobId, actor, requestHash, labels },
      ...(instructions ? { tree: { ...parent.submitted.tree, ...instructions } } : {}),
    },
    ...(instructions ? { replacedInstructions: listReplaced(parent, Object.keys(instructions)) } : {}),
    definition: applyForkChanges(forked.definition ?? parent.definition, forked),
    ...(next ? { nextDefinition: applyForkChanges(next, forked) } : {}),
    budgets,
    status: parent.phases === 0 ? 'submitted' : 'running',
    ...(deadlineAt === undefined ? {} : { deadlineAt }),
    ...(repository ? { repository: forkRepository(repository) } : {}),
    timers: Object.fromEntries(Object.entries(parent.timers).filter(([, { kind }]) => kind !== 'deadline')),
    fork: { parent: forked.parent, position, mode, ...(unrecorded ? { unrecorded } : {}) },
  };
}

/** Hashes of the instructions that are exchanged, and of those that the parent has exchanged itself. */
function listReplaced({ submitted, replacedInstructions = [] }: JobState, paths: readonly string[]): readonly string[] {
  return [...replacedInstructions, ...paths.flatMap((path) => submitted.tree[path]?.hash ?? [])];
}

/** Keeps what was imported. A failed import is tried again. */
function forkRepository({ failure: _failure, ...kept }: RepositoryState): RepositoryState {
  return { ...kept, outputs: {} };
}

type Changes = Pick<JobEventData<'JobForked'>, 'models' | 'limits'>;

/** Applies the models and limits of a fork to a definition. */
function applyForkChanges(definition: JobDefinition, changes: Changes): JobDefinition {
  const { models, limits } = changes;
  if (!models && !limits) return definition;
  const change = (agent: AgentDefinition): AgentDefinition => ({
    ...agent,
    models: { ...agent.models, ...definedMembers(models) },
    limits: { ...agent.limits, ...definedMembers(limits) },
  });
  const { agent, agents } = definition;
  const named = Object.entries(agents ?? {}).map(([name, one]) => [
    name,
    { ...one, definition: change(one.definition) },
  ]);
  return { ...definition, agent: change(agent), ...(agents ? { agents: Object.fromEntries(named) } : {}) };
}

function definedMembers<Values extends object>(
  values: Values | undefined,
): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Values]?: NonNullable<Values[Key]> };
}
