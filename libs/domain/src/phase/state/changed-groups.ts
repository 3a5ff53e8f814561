import type { PhaseEvent } from '../phase-events.js';

/** An event of a phase that has started. The other two create the whole state. */
export type ChangeEvent = Exclude<PhaseEvent, { readonly type: 'PhaseStarted' | 'PhaseForked' }>;
type ChangeType = ChangeEvent['type'];

/** A part of the state with its own fold. `watch` is the part of the guards that detects stuck phases. */
export type Group =
  | 'conversation'
  | 'calls'
  | 'todos'
  | 'tree'
  | 'money'
  | 'modelCall'
  | 'guards'
  | 'watch'
  | 'tally'
  | 'paused'
  | 'end'
  | 'work'
  | 'claims'
  | 'guardWaits'
  | 'turn'
  | 'reflexion';

/**
 * The groups that each event changes. A new event does not compile until it is listed here, and until the fold of each of its
 * groups has a case for it.
 */
export const changedGroups = {
  ModelCallStarted: ['conversation', 'modelCall'],
  ModelCallFailed: ['money', 'modelCall', 'turn'],
  ModelAwaited: ['modelCall'],
  ModelResponded: ['conversation', 'calls', 'money', 'modelCall', 'guards', 'watch', 'tally', 'claims', 'turn'],
  ToolResultsCleared: ['conversation', 'calls', 'watch'],
  ReasoningCleared: ['conversation'],
  JudgeEnded: ['money', 'modelCall', 'tally', 'turn'],
  ReflectionRecorded: ['money', 'modelCall', 'tally', 'turn', 'reflexion'],
  ReflectionSkipped: ['reflexion'],
  ConversationSummarised: ['conversation', 'money', 'modelCall', 'watch', 'tally', 'turn'],
  // For people, who compare the costs of the fork.
  SummaryNotRecorded: [],
  ToolCallRequested: ['calls', 'guards'],
  GuardsAwaited: ['calls', 'guardWaits'],
  GuardsSettled: ['guardWaits'],
  ApprovalRequested: ['calls', 'guards'],
  ApprovalGranted: ['calls', 'turn'],
  ApprovalRefused: ['calls', 'watch', 'tally', 'turn'],
  ToolCallAmended: ['calls'],
  QuestionAsked: ['calls'],
  QuestionAnswered: ['calls', 'money', 'turn'],
  QuestionTimedOut: ['calls', 'money'],
  ChildJobRequested: ['calls', 'money'],
  ChildJobEnded: ['calls', 'money'],
  ToolCallDenied: ['calls', 'guards', 'watch', 'tally'],
  ToolCallStarted: ['calls'],
  ToolCallCompleted: ['calls', 'guards', 'watch', 'tally', 'work', 'turn'],
  ToolCallFailed: ['calls', 'guards', 'watch', 'tally', 'work', 'turn'],
  // About a call that ended, it changes what the model reads; at moments without a call, it adds a text. All other effects are recorded by
  // the events that follow in the same commit.
  GuardDecided: ['calls', 'conversation'],
  MomentDecided: ['conversation'],
  GuardOverridden: ['guards'],
  GuardOverrideRevoked: ['guards'],
  // For people: what a call was stopped by, and where it connected to.
  CommandStopped: [],
  ConnectionRecorded: [],
  ProtectedChangeUndone: [],
  // For the orchestrator, which starts agents for what was written.
  RequirementsCached: [],
  ToolsLoaded: ['conversation'],
  FileWritten: ['tree', 'watch', 'work', 'claims'],
  FileDeleted: ['tree', 'watch', 'work', 'claims'],
  TodoCompleted: ['todos', 'guards', 'watch', 'work'],
  TodosRewound: ['todos'],
  TodoAdded: ['todos'],
  TodoStarted: ['todos'],
  TodoBlocked: ['todos'],
  TodoUnblocked: ['todos'],
  // The text is in experiences.md. The event is for later jobs.
  ExperienceNoted: [],
  JobCompletionProposed: ['todos'],
  PhaseReturned: ['todos'],
  ItemsSubmitted: ['todos'],
  ItemsRefused: ['todos'],
  // For read models and people: the state of a plan is in its files, which the same commit writes.
  PlanArtifactRecorded: [],
  PlanAdapted: [],
  PatternProposed: [],
  PatternApproved: [],
  PatternRefused: [],
  StageAssessed: [],
  PolicyOverridden: [],
  PreferenceAsked: [],
  PreferenceAnswered: [],
  PlanStatusChanged: [],
  PlanRunOpened: [],
  PlanTaskStarted: [],
  PlanTaskEnded: [],
  PlanReplaced: [],
  PhaseNudged: ['conversation', 'calls', 'guards'],
  StuckDetected: ['conversation', 'calls', 'watch'],
  ClaimRaised: ['claims'],
  ClaimAccepted: ['claims', 'guards'],
  ClaimRefused: ['claims', 'guards'],
  TransitionRejected: ['conversation', 'calls', 'todos', 'guards', 'tally', 'work'],
  PhaseSteered: ['conversation', 'watch', 'turn'],
  PhasePaused: ['paused'],
  PhaseResumed: ['money', 'modelCall', 'paused'],
  PhaseTakenOver: ['money', 'modelCall'],
  PhaseCompleted: ['money', 'modelCall', 'end'],
  PhaseFailed: ['money', 'modelCall', 'end'],
  PhaseCancelled: ['money', 'modelCall', 'end'],
} as const satisfies Record<ChangeType, readonly Group[]>;

/** Whether each group changes. All have the same members in the same order, so that V8 reads them without a search. */
type ChangedGroups = Readonly<Record<Group, boolean>>;

const allGroups: readonly Group[] = [...new Set(Object.values(changedGroups).flat())];

/** The same table for the fold, which asks for each group of every event. */
const changes: ReadonlyMap<string, ChangedGroups> = new Map(
  Object.entries(changedGroups).map(([type, groups]) => [type, toChangedGroups(groups)]),
);
const NO_GROUPS = toChangedGroups([]);

function toChangedGroups(changed: readonly Group[]): ChangedGroups {
  return Object.fromEntries(allGroups.map((group) => [group, changed.includes(group)])) as Record<Group, boolean>;
}

/** The groups that an event changes. The others need not be folded. */
export function listChangedGroups({ type }: ChangeEvent): ChangedGroups {
  return changes.get(type) ?? NO_GROUPS;
}

type TypesIgnoredBy<Name extends Group> = {
  [Type in ChangeType]: Name extends (typeof changedGroups)[Type][number] ? never : Type;
}[ChangeType];

/** Returns a group unchanged, at the end of its switch. Compiles only for events that do not change the group. */
export function keep<State, Name extends Group>(
  state: State,
  _group: Name,
  _event: Extract<ChangeEvent, { readonly type: TypesIgnoredBy<Name> }>,
): State {
  return state;
}
