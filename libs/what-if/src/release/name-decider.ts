import type { JobEvent, PhaseEvent } from '@phaseline/domain';

/** What makes a decision, as people know it from the documentation. */
export type Decider =
  | 'admission'
  | 'approvals'
  | 'caps'
  | 'claims'
  | 'context'
  | 'dispatch'
  | 'files'
  | 'gates'
  | 'guards'
  | 'job'
  | 'loop'
  | 'nudges'
  | 'prompt'
  | 'reservation'
  | 'takeover'
  | 'todos'
  | 'tools';

type EventType = (JobEvent | PhaseEvent)['type'];

const deciders: Readonly<Partial<Record<EventType, Decider>>> = {
  ToolCallRequested: 'admission',
  ToolCallDenied: 'admission',
  ToolsLoaded: 'admission',
  ApprovalRequested: 'approvals',
  ApprovalRefused: 'approvals',
  QuestionAsked: 'approvals',
  QuestionTimedOut: 'approvals',
  ClaimRaised: 'claims',
  ClaimAccepted: 'claims',
  ClaimRefused: 'claims',
  ToolResultsCleared: 'context',
  ReasoningCleared: 'context',
  ConversationSummarised: 'context',
  PhaseDispatched: 'dispatch',
  PhaseStarted: 'dispatch',
  FileWritten: 'files',
  FileDeleted: 'files',
  ProtectedChangeUndone: 'files',
  PhaseCompleted: 'gates',
  TransitionRejected: 'gates',
  GuardDecided: 'guards',
  GuardsAwaited: 'guards',
  GuardsSettled: 'guards',
  MomentDecided: 'guards',
  ItemsListed: 'loop',
  ItemStarted: 'loop',
  ItemChanged: 'loop',
  HandoffIssued: 'loop',
  HandoffAccepted: 'loop',
  HandoffRefused: 'loop',
  HandoffCompleted: 'loop',
  HandoffTimedOut: 'loop',
  HandoffRolledBack: 'loop',
  PhaseNudged: 'nudges',
  StuckDetected: 'nudges',
  ModelCallStarted: 'reservation',
  PhaseTakenOver: 'takeover',
  TodoAdded: 'todos',
  TodoStarted: 'todos',
  TodoCompleted: 'todos',
  TodoBlocked: 'todos',
  TodoUnblocked: 'todos',
  TodosRewound: 'todos',
  ToolCallCompleted: 'tools',
  ToolCallFailed: 'tools',
};

/** Members of `ModelCallStarted` that show the prompt; the others show what was reserved for the call. */
const ofPrompt: ReadonlySet<string> = new Set(['requestHash', 'inputTokens', 'promptBuilder', 'layers']);

/** Names what made a decision that differs: by the recorded event, or by the one that is decided in addition. */
export function nameDecider(
  was: JobEvent | PhaseEvent | undefined,
  is: JobEvent | PhaseEvent | undefined,
  members: readonly { readonly path: string }[],
): Decider {
  // A cap that refuses a call, or no longer does.
  if (isLimit(was) !== isLimit(is)) return 'caps';
  const event = was ?? is;
  if (event?.type === 'ModelCallStarted' && members.some(({ path }) => ofPrompt.has(path.split('.')[0]!)))
    return 'prompt';
  return deciders[event?.type ?? 'JobCompleted'] ?? 'job';
}

function isLimit(event: JobEvent | PhaseEvent | undefined): boolean {
  return event?.type === 'PhaseFailed' && event.data.code.endsWith('_limit');
}
