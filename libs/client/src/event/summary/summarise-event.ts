import type { EventRecord } from '../event-record.js';
import { formatBytes, pluralise, formatCount, formatUsd } from '../../text/quantities.js';
import { summariseCall } from './summarise-call.js';
import { readCount, readList, readListLength, readObject, readString, type UntypedData } from './event-data.js';

/** Summarises an event in a few words. It may contain line breaks and control characters of the data. */
export function summariseEvent({ type, data }: Pick<EventRecord, 'type' | 'data'>): string {
  const read = gists[type];
  return (read ? read(data) : describeUnknown(data)) ?? '';
}

const gists: Readonly<Record<string, (data: UntypedData) => string | undefined>> = {
  JobSubmitted: (data) =>
    joinParts(
      readString(readObject(data, 'agent'), 'name'),
      `workflow ${readString(readObject(data, 'workflow'), 'name') ?? '?'}`,
      pluralise(Object.keys(readObject(data, 'tree')).length, 'file'),
    ),
  JobForked: (data) =>
    joinParts(
      `of ${readString(readObject(data, 'parent'), 'jobId') ?? '?'} at ${readCount(data, 'position') ?? '?'}`,
      readString(data, 'mode'),
      describeUnrecorded(readObject(data, 'unrecorded')),
      readString(readObject(data, 'carried'), 'agent'),
    ),
  PhaseForked: (data) =>
    joinParts(
      `phase ${readCount(data, 'phase') ?? '?'}`,
      `after event ${readCount(readObject(data, 'parent'), 'version') ?? '?'}`,
    ),
  PhaseDispatched: (data) => joinParts(describePhase(data), describeAttempt(data)),
  PhaseStarted: (data) =>
    joinParts(
      describePhase(readObject(data, 'identity')),
      pluralise(readList(readObject(data, 'plan'), 'todos').length, 'todo'),
      describeAttempt(readObject(data, 'identity')),
    ),
  PhaseEnded: (data) => {
    const result = readObject(data, 'result');
    return joinParts(
      `phase ${readCount(data, 'phase') ?? '?'} ${readString(result, 'kind') ?? ''}`,
      readString(result, 'outcome') ?? readString(readObject(result, 'failure'), 'message'),
    );
  },
  ModelCallStarted: (data) =>
    joinParts(
      `step ${readCount(data, 'step') ?? '?'}`,
      readString(data, 'model'),
      `${formatCount(readCount(data, 'inputTokens') ?? 0)} tokens in${describeLayers(readObject(data, 'layers'))}`,
    ),
  ModelResponded: (data) => {
    const usage = readObject(data, 'usage');
    const calls = readList(data, 'calls').map((call) => readString(call, 'name') ?? '?');
    const cost = `${formatCount(readCount(usage, 'inputTokens') ?? 0)}+${formatCount(readCount(usage, 'outputTokens') ?? 0)} tokens, ${formatUsd(readCount(data, 'costMicroUsd') ?? 0)}`;
    return joinParts(
      `step ${readCount(data, 'step') ?? '?'}`,
      cost,
      calls.length > 0 ? calls.join(', ') : readString(data, 'content'),
    );
  },
  ToolCallRequested: (data) => joinParts(readString(data, 'name'), summariseCall(readObject(data, 'arguments'))),
  ToolCallDenied: (data) => joinParts(readString(data, 'name'), readString(data, 'code'), readString(data, 'message')),
  ToolCallStarted: (data) => readString(data, 'callId'),
  ToolCallCompleted: (data) =>
    joinParts(
      `${readCount(data, 'durationMs') ?? 0} ms`,
      describeNearest(readString(readObject(data, 'nearest'), 'callId')),
      readString(data, 'content'),
    ),
  ToolCallFailed: (data) => joinParts(readString(data, 'code'), readString(data, 'message')),
  ApprovalRequested: (data) =>
    joinParts(readString(data, 'name'), summariseCall(readObject(data, 'arguments')), readString(data, 'callId')),
  QuestionAsked: (data) => joinParts(readString(data, 'callId'), readString(data, 'question')),
  QuestionAnswered: (data) => joinParts(readString(data, 'callId'), `by ${readString(data, 'actor') ?? '?'}`),
  QuestionTimedOut: (data) => joinParts(readString(data, 'callId')),
  ToolCallAmended: (data) => joinParts(readString(data, 'callId'), `by ${readString(data, 'actor') ?? '?'}`),
  ApprovalGranted: (data) =>
    joinParts(readString(data, 'callId'), `by ${readString(data, 'actor') ?? '?'}`, readString(data, 'reason')),
  ApprovalRefused: (data) =>
    joinParts(readString(data, 'callId'), `by ${readString(data, 'actor') ?? '?'}`, readString(data, 'reason')),
  ToolResultsCleared: (data) =>
    joinParts(
      pluralise(readListLength(data, 'callIds'), 'result'),
      `${formatCount(readCount(data, 'tokens') ?? 0)} tokens`,
    ),
  ReasoningCleared: (data) =>
    joinParts(
      `up to step ${readCount(data, 'upToStep') ?? '?'}`,
      `${formatCount(readCount(data, 'tokens') ?? 0)} tokens`,
    ),
  ConversationSummarised: (data) =>
    joinParts(
      `step ${readCount(data, 'step') ?? '?'}`,
      pluralise(readCount(data, 'entries') ?? 0, 'entry', 'entries'),
      readString(data, 'summary'),
    ),
  SummaryNotRecorded: (data) =>
    joinParts(
      `step ${readCount(data, 'step') ?? '?'}`,
      `kept whole: ${formatCount(readCount(data, 'promptTokens') ?? 0)} tokens`,
    ),
  JudgeEnded: (data) => joinParts(readString(data, 'name'), readString(data, 'verdict'), readString(data, 'reason')),
  ReflectionRecorded: (data) => {
    const refused = readString(data, 'refused');
    return joinParts(
      readString(data, 'part'),
      refused === undefined ? undefined : `refused: ${refused}`,
      readString(data, 'text'),
    );
  },
  ReflectionSkipped: (data) =>
    joinParts(readString(data, 'part'), readString(data, 'code'), readString(data, 'message')),
  ClaimRaised: (data) => joinParts(readString(data, 'claim'), summariseSubject(data)),
  ClaimAccepted: (data) => joinParts(readString(data, 'claim'), summariseSubject(data)),
  ClaimRefused: (data) => joinParts(summariseSubject(data), readString(data, 'message')),
  FileWritten: (data) =>
    joinParts(
      readString(data, 'path'),
      formatBytes(readCount(data, 'size') ?? 0),
      readString(data, 'mode'),
      describeOrigin(data),
    ),
  FileDeleted: (data) => joinParts(readString(data, 'path'), describeOrigin(data)),
  TodoCompleted: (data) => joinParts(`todo ${readCount(data, 'todoId') ?? '?'}`, readString(data, 'note')),
  TodosRewound: (data) => joinParts(readString(data, 'pattern'), readString(data, 'issue')),
  TodoAdded: (data) => joinParts(`todo ${readCount(data, 'todoId') ?? '?'}`, readString(data, 'content')),
  TodoStarted: (data) => `todo ${readCount(data, 'todoId') ?? '?'}`,
  TodoBlocked: (data) => joinParts(`todo ${readCount(data, 'todoId') ?? '?'}`, readString(data, 'reason')),
  TodoUnblocked: (data) => `todo ${readCount(data, 'todoId') ?? '?'}`,
  ExperienceNoted: (data) => joinParts(readString(data, 'kind'), readString(data, 'text')),
  TransitionRejected: (data) => joinParts(`gate ${readString(data, 'gate') ?? '?'}`, readString(data, 'message')),
  ModelCallFailed: (data) =>
    joinParts(`attempt ${readCount(data, 'attempts') ?? '?'}`, readString(data, 'code'), readString(data, 'message')),
  ModelAwaited: (data) =>
    joinParts(readString(data, 'code'), readString(data, 'message'), `until ${readString(data, 'until') ?? '?'}`),
  PhaseTakenOver: (data) =>
    joinParts(
      `epoch ${readCount(data, 'epoch') ?? '?'}`,
      `taken over from ${readString(data, 'previousLeaseOwner') ?? '?'}`,
    ),
  PhaseCompleted: (data) =>
    joinParts(readString(data, 'outcome'), readString(readObject(data, 'completion'), 'summary')),
  PhaseReturned: (data) => readString(data, 'outcome') ?? '',
  ItemsSubmitted: (data) => pluralise(readListLength(data, 'items'), 'item'),
  ItemsRefused: (data) => pluralise(readListLength(data, 'problems'), 'problem'),
  PlanArtifactRecorded: (data) => joinParts(readString(data, 'kind'), readString(data, 'hash')?.slice(0, 12)),
  PlanAdapted: (data) => joinParts(readString(data, 'what'), readString(data, 'why')),
  PatternProposed: (data) => joinParts(readString(data, 'proposal'), readString(data, 'rfc')),
  PatternApproved: (data) => joinParts(readString(data, 'proposal'), `by ${readString(data, 'actor') ?? '?'}`),
  PatternRefused: (data) => joinParts(readString(data, 'proposal'), `by ${readString(data, 'actor') ?? '?'}`),
  StageAssessed: (data) =>
    joinParts(readString(data, 'stage'), readString(data, 'band'), readCount(data, 'confidence')?.toFixed(2)),
  PolicyOverridden: (data) => readString(data, 'words') ?? '',
  PreferenceAsked: (data) => joinParts(readString(data, 'preference'), readString(data, 'user')),
  PreferenceAnswered: (data) =>
    joinParts(readString(data, 'preference'), readString(data, 'value'), `by ${readString(data, 'user') ?? '?'}`),
  PlanStatusChanged: (data) =>
    joinParts(readString(data, 'planningStatus'), readString(data, 'stage'), readString(data, 'escalateReason')),
  PlanRunOpened: (data) =>
    joinParts(pluralise(readCount(data, 'tasks') ?? 0, 'task'), readString(data, 'contentHash')?.slice(0, 12)),
  PlanTaskStarted: (data) => joinParts(readString(data, 'item'), readString(data, 'title'), readString(data, 'agent')),
  PlanTaskEnded: (data) =>
    joinParts(readString(data, 'item'), readString(data, 'status'), `by ${readString(data, 'by') ?? '?'}`),
  PlanReplaced: (data) => joinParts(readString(data, 'to')?.slice(0, 12), readString(data, 'why')),
  ItemsListed: (data) => pluralise(readListLength(data, 'items'), 'item'),
  ItemStarted: (data) => joinParts(readString(data, 'id'), `phase ${readCount(data, 'phase') ?? '?'}`),
  ItemChanged: (data) =>
    joinParts(
      readString(data, 'id'),
      readString(data, 'status'),
      pluralise(readCount(data, 'attempts') ?? 0, 'failed attempt'),
      readString(data, 'reason'),
    ),
  HandoffIssued: (data) =>
    joinParts(`${readString(data, 'from') ?? '?'} to ${readString(data, 'agent') ?? '?'}`, readString(data, 'task')),
  HandoffAccepted: (data) => joinParts(readString(data, 'handoff'), `phase ${readCount(data, 'phase') ?? '?'}`),
  HandoffRefused: (data) => joinParts(readString(data, 'handoff'), readString(data, 'reason')),
  HandoffCompleted: (data) => joinParts(readString(data, 'handoff'), readString(data, 'outcome')),
  HandoffTimedOut: (data) => joinParts(readString(data, 'handoff'), `phase ${readCount(data, 'phase') ?? '?'}`),
  HandoffRolledBack: (data) =>
    joinParts(
      `to the files of phase ${readCount(data, 'to') ?? '?'}`,
      `${readCount(data, 'restored') ?? 0} restored`,
      `${readCount(data, 'deleted') ?? 0} deleted`,
    ),
  JobCompletionProposed: (data) => readString(readObject(data, 'completion'), 'summary'),
  JobCompleted: (data) => readString(data, 'summary'),
  JobPaused: (data) => joinParts(describeActor(data), readString(data, 'reason')),
  JobResumed: (data) => joinParts(describeActor(data), readString(data, 'reason')),
  JobCancelRequested: (data) => joinParts(describeActor(data), readString(data, 'reason')),
  JobGuardOverridden: (data) =>
    joinParts(
      readString(data, 'guard'),
      `until ${readString(data, 'expiresAt') ?? '?'}`,
      describeActor(data),
      readString(data, 'reason'),
    ),
  JobGuardOverrideRevoked: (data) =>
    joinParts(readString(data, 'guard'), describeActor(data), readString(data, 'reason')),
  JobSteered: (data) => joinParts(readString(data, 'message'), describeActor(data)),
  PrincipalCreated: (data) => joinParts(readString(data, 'id'), readString(data, 'kind'), describeActor(data)),
  PrincipalDisabled: (data) => joinParts(describeActor(data), readString(data, 'reason')),
  PrincipalEnabled: (data) => joinParts(describeActor(data)),
  RoleGranted: (data) => joinParts(readString(data, 'role'), readString(data, 'tenant'), describeActor(data)),
  RoleRevoked: (data) => joinParts(readString(data, 'role'), readString(data, 'tenant'), describeActor(data)),
  KeyCreated: (data) => joinParts(readString(data, 'prefix'), readString(data, 'label'), describeActor(data)),
  KeyRevoked: (data) => joinParts(readString(data, 'prefix'), describeActor(data), readString(data, 'reason')),
  IdentityLinked: (data) => joinParts(readString(data, 'issuer'), readString(data, 'subject'), describeActor(data)),
  IdentityUnlinked: (data) =>
    joinParts(readString(data, 'issuer'), readString(data, 'subject'), describeActor(data), readString(data, 'reason')),
  SecretStored: (data) => joinParts(readString(data, 'name'), readString(data, 'agent'), describeActor(data)),
  SessionStarted: (data) => joinParts(readString(data, 'method'), readString(data, 'sessionId')),
  SessionEnded: (data) => joinParts(describeActor(data), readString(data, 'sessionId')),
  SecretRemoved: (data) => joinParts(readString(data, 'name'), readString(data, 'agent'), describeActor(data)),
  GuardVersionAdded: (data) =>
    joinParts(
      readString(data, 'name'),
      `version ${readCount(data, 'number') ?? '?'}`,
      readString(data, 'owner'),
      describeActor(data),
    ),
  GuardDecided: (data) => {
    const guard = readObject(data, 'guard');
    const stage = readString(guard, 'stage');
    // Only a guard in production has an effect, unless a person overrode it.
    const effect = 'override' in data ? 'overridden' : stage === 'production' ? undefined : `in ${stage ?? '?'}`;
    return joinParts(readString(guard, 'name'), readString(data, 'decision'), effect, readString(data, 'reason'));
  },
  GuardBacktested: (data) =>
    joinParts(
      `version ${readCount(data, 'number') ?? '?'}`,
      `${pluralise(readCount(data, 'hits') ?? 0, 'hit')} in ${pluralise(readCount(data, 'jobs') ?? 0, 'job')}`,
      describeActor(data),
    ),
  GuardStageChanged: (data) =>
    joinParts(
      `version ${readCount(data, 'number') ?? '?'}`,
      `${readString(data, 'from') ?? '?'} → ${readString(data, 'to') ?? '?'}`,
      describeActor(data),
      readString(data, 'reason'),
    ),
  DeadLetterRetried: (data) => joinParts(describeMessage(data), describeActor(data)),
  DeadLetterDiscarded: (data) => joinParts(describeMessage(data), describeActor(data), readString(data, 'reason')),
  RetentionSet: (data) => joinParts(describeRetention(data), describeActor(data)),
  LearningTracesRemoved: (data) =>
    joinParts(`learning traces of ${pluralise(readList(data, 'jobs')?.length ?? 0, 'job')}`, describeActor(data)),
  PreferencesChanged: (data) => joinParts(describeChanges(readObject(data, 'changes')), describeActor(data)),
  WorkspaceEdited: (data) =>
    joinParts(readString(data, 'path'), describeEditedFile(data), describeActor(data), readString(data, 'reason')),
  HoldPlaced: (data) => joinParts(describeActor(data), readString(data, 'reason')),
  HoldReleased: (data) => joinParts(describeActor(data), readString(data, 'reason')),
  FilesRemoved: (data) => joinParts(pluralise(readList(data, 'hashes')?.length ?? 0, 'file'), describeActor(data)),
  VectorsRemoved: (data) =>
    joinParts(`vectors of ${pluralise(readCount(data, 'vectorFiles') ?? 0, 'file')}`, describeActor(data)),
  JobMovedToColdStorage: (data) =>
    joinParts(pluralise(readCount(data, 'events') ?? 0, 'event'), readString(data, 'archive'), describeActor(data)),
  JobErased: (data) => joinParts(`by ${readString(data, 'actor') ?? '?'}`, readString(data, 'reason')),
};

/** The policies of a fork for results that were never recorded, by tool. */
function describeUnrecorded(policies: UntypedData): string | undefined {
  const named = Object.entries(policies).map(([tool, policy]) => `${tool}=${String(policy)}`);
  return named.length > 0 ? `unrecorded ${named.join(' ')}` : undefined;
}

function describeNearest(callId: string | undefined): string | undefined {
  return callId === undefined ? undefined : `result of another call, ${callId}`;
}

/** The preferences of a person that changed, and those that have their default again. */
function describeChanges(changes: UntypedData): string {
  return Object.entries(changes)
    .map(([key, value]) => (value === null ? `${key} cleared` : key))
    .join(', ');
}

function describeOrigin(data: UntypedData): string | undefined {
  const origin = readString(data, 'origin');
  return origin === undefined ? undefined : origin === 'person' ? 'by a person' : 'changed on disk by no command';
}

function describeEditedFile(data: UntypedData): string {
  const size = readCount(readObject(data, 'file'), 'size');
  return size === undefined ? 'deleted' : formatBytes(size);
}

function describePhase(data: UntypedData): string {
  // Events from `compare` lack what differs between any two jobs, such as the number of the phase.
  const number = readCount(data, 'phase');
  return [number === undefined ? '' : `phase ${number}`, readString(data, 'kind'), readString(data, 'name')]
    .filter(Boolean)
    .join(' ');
}

function describeMessage(data: UntypedData): string {
  return `${readString(data, 'messageId') ?? '?'} of the queue ${readString(data, 'queue') ?? '?'}`;
}

function describeActor(data: UntypedData): string | undefined {
  const actor = readString(data, 'actor');
  return actor === undefined || actor === '' ? undefined : `by ${actor}`;
}

function describeAttempt(data: UntypedData): string | undefined {
  const number = readCount(data, 'attempt') ?? 1;
  return number > 1 ? `attempt ${number}` : undefined;
}

const LAYERS = ['system', 'todos', 'tools', 'reflexion', 'summary', 'conversation'] as const;

/** Lists the tokens per layer of the prompt, if the event has them. */
function describeLayers(layers: UntypedData): string {
  const shares = LAYERS.flatMap((name) => {
    const tokens = readCount(layers, name) ?? 0;
    return tokens > 0 ? [`${name} ${formatCount(tokens)}`] : [];
  });
  return shares.length > 0 ? ` (${shares.join(', ')})` : '';
}

/** Summarises an event of an unknown type by the fields that most events use for text. */
function describeUnknown(data: UntypedData): string | undefined {
  return joinParts(
    readString(data, 'code'),
    readString(data, 'message') ?? readString(data, 'reason') ?? readString(data, 'name'),
  );
}

function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((one) => one !== undefined && one !== '').join(' · ');
}

function describeRetention({ filesDays, vectorsDays, learningDays, coldDays }: UntypedData): string {
  const describe = (days: unknown): string => (typeof days === 'number' ? pluralise(days, 'day') : 'kept');
  return `files: ${describe(filesDays)}, vectors: ${describe(vectorsDays)}, learning traces: ${describe(learningDays)}, events in the database: ${describe(coldDays)}`;
}

/** Describes what was claimed. */
function summariseSubject(data: UntypedData): string | undefined {
  const subject = readObject(data, 'subject');
  const todo = readCount(subject, 'todoId');
  return todo === undefined ? readString(subject, 'outcome') : `todo ${todo}`;
}
