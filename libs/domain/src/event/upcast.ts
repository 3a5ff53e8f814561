/** Converts the data of one version of an event into the next version. */
type Upcaster = (data: unknown) => unknown;

/** The step of a shape that only gained optional members or values, such as settings of agents that were added later. */
const unchanged: Upcaster = (data) => data;

/** The steps from version 1 to this one, if none of them changed the data. */
const unchangedUpTo = (version: number): Readonly<Record<number, Upcaster>> =>
  Object.fromEntries(Array.from({ length: version - 1 }, (_, index) => [index + 1, unchanged]));

/** The step of claims whose evidence names events by stream and version. No log has evidence of the earlier shape; it was reserved. */
const withEvidenceEvents: Upcaster = (data) => {
  const { evidence, ...rest } = data as { readonly evidence?: readonly object[] };
  return evidence ? { ...rest, evidence: evidence.map((entry) => ({ events: [], ...entry })) } : rest;
};

/** The step of versions of guards that were added before they could demand anything of a backtest. */
const withMinLabelled: Upcaster = (data) => ({ ...(data as object), minLabelled: 30 });

/** The step of settings of retention that were made before learning traces could be removed. */
const withLearningDays: Upcaster = (data) => ({ ...(data as object), learningDays: null });

/** The step of settings of retention that were made before events could move to cold storage. */
const withColdDays: Upcaster = (data) => ({ ...(data as object), coldDays: null });

/** Upcasters by event type, then by the version from which the step starts. */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcaster>>>>;

/**
 * The upcasters of this release. To change a stored shape, raise the version in the event's definition, add the step here,
 * and record a golden file (see golden/README.md).
 */
export const upcasters: Upcasters = {
  ApprovalGranted: { 1: unchanged, 2: unchanged },
  GuardsAwaited: { 1: unchanged },
  ToolCallDenied: { 1: unchanged },
  ApprovalRequested: { 1: unchanged },
  ToolCallRequested: { 1: unchanged },
  TodoCompleted: { 1: withEvidenceEvents },
  TodoAdded: { 1: unchanged },
  PhaseDispatched: { 1: unchanged, 2: unchanged },
  PhaseEnded: { 1: unchanged },
  PhaseCompleted: { 1: withEvidenceEvents, 2: unchanged },
  TransitionRejected: { 1: unchanged, 2: unchanged },
  JobSubmitted: unchangedUpTo(10),
  JobForked: unchangedUpTo(11),
  JobDefinitionChanged: unchangedUpTo(10),
  JobCompleted: { 1: unchanged, 2: withEvidenceEvents },
  JobFailed: { 1: unchanged },
  PhaseStarted: unchangedUpTo(10),
  PhaseForked: unchangedUpTo(9),
  PhaseFailed: unchangedUpTo(5),
  ToolCallCompleted: { 1: unchanged },
  ToolCallFailed: { 1: unchanged },
  FileWritten: { 1: unchanged },
  FileDeleted: { 1: unchanged },
  ModelCallFailed: { 1: unchanged },
  ModelResponded: { 1: unchanged },
  ConversationSummarised: { 1: unchanged },
  JudgeEnded: { 1: unchanged },
  ModelCallStarted: unchangedUpTo(5),
  RepositoryOutputRequested: { 1: unchanged },
  RepositoryOutputMade: { 1: unchanged },
  SecretStored: { 1: unchanged },
  TimerSet: { 1: unchanged },
  ChildJobRequested: { 1: unchanged },
  RetentionSet: { 1: withLearningDays, 2: withColdDays },
  GuardVersionAdded: { 1: withMinLabelled },
  GuardStageChanged: { 1: unchanged },
};

/** Upcasts the data to version `to`. Throws if a step is missing, which is a bug in this release. */
export function upcast(type: string, from: number, to: number, data: unknown, steps: Upcasters = upcasters): unknown {
  let current = data;
  for (let version = from; version < to; version += 1) {
    const step = steps[type]?.[version];
    if (!step) throw new Error(`no upcaster converts ${type} from version ${version} to ${version + 1}`);
    current = step(current);
  }
  return current;
}
