import type { EventRecord } from '../event-record.js';
import { formatBytes, pluralise, formatCount, formatUsd } from '../../text/quantities.js';
import { summariseCall } from './summarise-call.js';
import { readCount, readList, readListLength, readObject, readText, type UntypedData } from './event-data.js';

/** Summarises an event in a few words. It may contain line breaks and control characters of the data. */
export function summariseEvent({ type, data }: Pick<EventRecord, 'type' | 'data'>): string {
  const read = gists[type];
  return (read ? read(data) : describeUnknown(data)) ?? '';
}

const gists: Readonly<Record<string, (data: UntypedData) => string | undefined>> = {
  JobSubmitted: (data) =>
    joinParts(
      readText(readObject(data, 'agent'), 'name'),
      `workflow ${readText(readObject(data, 'workflow'), 'name') ?? '?'}`,
      pluralise(Object.keys(readObject(data, 'tree')).length, 'file'),
    ),
  JobForked: (data) =>
    joinParts(
      `of ${readText(readObject(data, 'parent'), 'jobId') ?? '?'} at ${readCount(data, 'position') ?? '?'}`,
      readText(data, 'mode'),
      readText(readObject(data, 'carried'), 'agent'),
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
      `phase ${readCount(data, 'phase') ?? '?'} ${readText(result, 'kind') ?? ''}`,
      readText(result, 'outcome') ?? readText(readObject(result, 'failure'), 'message'),
    );
  },
  ModelCallStarted: (data) =>
    joinParts(
      `step ${readCount(data, 'step') ?? '?'}`,
      readText(data, 'model'),
      `${formatCount(readCount(data, 'inputTokens') ?? 0)} tokens in${describeLayers(readObject(data, 'layers'))}`,
    ),
  ModelResponded: (data) => {
    const usage = readObject(data, 'usage');
    const calls = readList(data, 'calls').map((call) => readText(call, 'name') ?? '?');
    const cost = `${formatCount(readCount(usage, 'inputTokens') ?? 0)}+${formatCount(readCount(usage, 'outputTokens') ?? 0)} tokens, ${formatUsd(readCount(data, 'costMicroUsd') ?? 0)}`;
    return joinParts(
      `step ${readCount(data, 'step') ?? '?'}`,
      cost,
      calls.length > 0 ? calls.join(', ') : readText(data, 'content'),
    );
  },
  ToolCallRequested: (data) => joinParts(readText(data, 'name'), summariseCall(readObject(data, 'arguments'))),
  ToolCallDenied: (data) => joinParts(readText(data, 'name'), readText(data, 'code'), readText(data, 'message')),
  ToolCallStarted: (data) => readText(data, 'callId'),
  ToolCallCompleted: (data) => joinParts(`${readCount(data, 'durationMs') ?? 0} ms`, readText(data, 'content')),
  ToolCallFailed: (data) => joinParts(readText(data, 'code'), readText(data, 'message')),
  ApprovalRequested: (data) =>
    joinParts(readText(data, 'name'), summariseCall(readObject(data, 'arguments')), readText(data, 'callId')),
  QuestionAsked: (data) => joinParts(readText(data, 'callId'), readText(data, 'question')),
  QuestionAnswered: (data) => joinParts(readText(data, 'callId'), `by ${readText(data, 'actor') ?? '?'}`),
  QuestionTimedOut: (data) => joinParts(readText(data, 'callId')),
  ToolCallAmended: (data) => joinParts(readText(data, 'callId'), `by ${readText(data, 'actor') ?? '?'}`),
  ApprovalGranted: (data) => joinParts(readText(data, 'callId'), `by ${readText(data, 'actor') ?? '?'}`),
  ApprovalRefused: (data) =>
    joinParts(readText(data, 'callId'), `by ${readText(data, 'actor') ?? '?'}`, readText(data, 'reason')),
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
      readText(data, 'summary'),
    ),
  JudgeEnded: (data) => joinParts(readText(data, 'name'), readText(data, 'verdict'), readText(data, 'reason')),
  ClaimRaised: (data) => joinParts(readText(data, 'claim'), summariseSubject(data)),
  ClaimAccepted: (data) => joinParts(readText(data, 'claim'), summariseSubject(data)),
  ClaimRefused: (data) => joinParts(summariseSubject(data), readText(data, 'message')),
  FileWritten: (data) =>
    joinParts(
      readText(data, 'path'),
      formatBytes(readCount(data, 'size') ?? 0),
      readText(data, 'mode'),
      describeOrigin(data),
    ),
  FileDeleted: (data) => joinParts(readText(data, 'path'), describeOrigin(data)),
  TodoCompleted: (data) => joinParts(`todo ${readCount(data, 'todoId') ?? '?'}`, readText(data, 'note')),
  TodosRewound: (data) => joinParts(readText(data, 'pattern'), readText(data, 'issue')),
  TodoAdded: (data) => joinParts(`todo ${readCount(data, 'todoId') ?? '?'}`, readText(data, 'content')),
  TodoStarted: (data) => `todo ${readCount(data, 'todoId') ?? '?'}`,
  TodoBlocked: (data) => joinParts(`todo ${readCount(data, 'todoId') ?? '?'}`, readText(data, 'reason')),
  TodoUnblocked: (data) => `todo ${readCount(data, 'todoId') ?? '?'}`,
  ExperienceNoted: (data) => joinParts(readText(data, 'kind'), readText(data, 'text')),
  TransitionRejected: (data) => joinParts(`gate ${readText(data, 'gate') ?? '?'}`, readText(data, 'message')),
  ModelCallFailed: (data) =>
    joinParts(`attempt ${readCount(data, 'attempts') ?? '?'}`, readText(data, 'code'), readText(data, 'message')),
  ModelAwaited: (data) =>
    joinParts(readText(data, 'code'), readText(data, 'message'), `until ${readText(data, 'until') ?? '?'}`),
  PhaseTakenOver: (data) =>
    joinParts(
      `epoch ${readCount(data, 'epoch') ?? '?'}`,
      `taken over from ${readText(data, 'previousLeaseOwner') ?? '?'}`,
    ),
  PhaseCompleted: (data) => joinParts(readText(data, 'outcome'), readText(readObject(data, 'completion'), 'summary')),
  PhaseReturned: (data) => readText(data, 'outcome') ?? '',
  ItemsSubmitted: (data) => pluralise(readListLength(data, 'items'), 'item'),
  ItemsRefused: (data) => pluralise(readListLength(data, 'problems'), 'problem'),
  ItemsListed: (data) => pluralise(readListLength(data, 'items'), 'item'),
  ItemStarted: (data) => joinParts(readText(data, 'id'), `phase ${readCount(data, 'phase') ?? '?'}`),
  ItemChanged: (data) =>
    joinParts(
      readText(data, 'id'),
      readText(data, 'status'),
      pluralise(readCount(data, 'attempts') ?? 0, 'failed attempt'),
      readText(data, 'reason'),
    ),
  HandoffIssued: (data) =>
    joinParts(`${readText(data, 'from') ?? '?'} to ${readText(data, 'agent') ?? '?'}`, readText(data, 'task')),
  HandoffAccepted: (data) => joinParts(readText(data, 'handoff'), `phase ${readCount(data, 'phase') ?? '?'}`),
  HandoffRefused: (data) => joinParts(readText(data, 'handoff'), readText(data, 'reason')),
  HandoffCompleted: (data) => joinParts(readText(data, 'handoff'), readText(data, 'outcome')),
  HandoffTimedOut: (data) => joinParts(readText(data, 'handoff'), `phase ${readCount(data, 'phase') ?? '?'}`),
  HandoffRolledBack: (data) =>
    joinParts(
      `to the files of phase ${readCount(data, 'to') ?? '?'}`,
      `${readCount(data, 'restored') ?? 0} restored`,
      `${readCount(data, 'deleted') ?? 0} deleted`,
    ),
  JobCompletionProposed: (data) => readText(readObject(data, 'completion'), 'summary'),
  JobCompleted: (data) => readText(data, 'summary'),
  JobPaused: (data) => joinParts(describeActor(data), readText(data, 'reason')),
  JobResumed: (data) => joinParts(describeActor(data), readText(data, 'reason')),
  JobCancelRequested: (data) => joinParts(describeActor(data), readText(data, 'reason')),
  JobGuardOverridden: (data) =>
    joinParts(
      readText(data, 'guard'),
      `until ${readText(data, 'expiresAt') ?? '?'}`,
      describeActor(data),
      readText(data, 'reason'),
    ),
  JobGuardOverrideRevoked: (data) => joinParts(readText(data, 'guard'), describeActor(data), readText(data, 'reason')),
  JobSteered: (data) => joinParts(readText(data, 'message'), describeActor(data)),
  PrincipalCreated: (data) => joinParts(readText(data, 'id'), readText(data, 'kind'), describeActor(data)),
  PrincipalDisabled: (data) => joinParts(describeActor(data), readText(data, 'reason')),
  PrincipalEnabled: (data) => joinParts(describeActor(data)),
  RoleGranted: (data) => joinParts(readText(data, 'role'), readText(data, 'tenant'), describeActor(data)),
  RoleRevoked: (data) => joinParts(readText(data, 'role'), readText(data, 'tenant'), describeActor(data)),
  KeyCreated: (data) => joinParts(readText(data, 'prefix'), readText(data, 'label'), describeActor(data)),
  KeyRevoked: (data) => joinParts(readText(data, 'prefix'), describeActor(data), readText(data, 'reason')),
  IdentityLinked: (data) => joinParts(readText(data, 'issuer'), readText(data, 'subject'), describeActor(data)),
  IdentityUnlinked: (data) =>
    joinParts(readText(data, 'issuer'), readText(data, 'subject'), describeActor(data), readText(data, 'reason')),
  SecretStored: (data) => joinParts(readText(data, 'name'), readText(data, 'agent'), describeActor(data)),
  SessionStarted: (data) => joinParts(readText(data, 'method'), readText(data, 'sessionId')),
  SessionEnded: (data) => joinParts(describeActor(data), readText(data, 'sessionId')),
  SecretRemoved: (data) => joinParts(readText(data, 'name'), readText(data, 'agent'), describeActor(data)),
  GuardVersionAdded: (data) =>
    joinParts(
      readText(data, 'name'),
      `version ${readCount(data, 'number') ?? '?'}`,
      readText(data, 'owner'),
      describeActor(data),
    ),
  GuardStageChanged: (data) =>
    joinParts(
      `version ${readCount(data, 'number') ?? '?'}`,
      `${readText(data, 'from') ?? '?'} → ${readText(data, 'to') ?? '?'}`,
      describeActor(data),
      readText(data, 'reason'),
    ),
  RetentionSet: (data) => joinParts(describeRetention(data), describeActor(data)),
  WorkspaceEdited: (data) =>
    joinParts(readText(data, 'path'), describeEditedFile(data), describeActor(data), readText(data, 'reason')),
  HoldPlaced: (data) => joinParts(describeActor(data), readText(data, 'reason')),
  HoldReleased: (data) => joinParts(describeActor(data), readText(data, 'reason')),
  FilesRemoved: (data) => joinParts(pluralise(readList(data, 'hashes')?.length ?? 0, 'file'), describeActor(data)),
  VectorsRemoved: (data) =>
    joinParts(`vectors of ${pluralise(readCount(data, 'vectorFiles') ?? 0, 'file')}`, describeActor(data)),
  JobErased: (data) => joinParts(`by ${readText(data, 'actor') ?? '?'}`, readText(data, 'reason')),
};

function describeOrigin(data: UntypedData): string | undefined {
  const origin = readText(data, 'origin');
  return origin === undefined ? undefined : origin === 'person' ? 'by a person' : 'changed on disk by no command';
}

function describeEditedFile(data: UntypedData): string {
  const size = readCount(readObject(data, 'file'), 'size');
  return size === undefined ? 'deleted' : formatBytes(size);
}

function describePhase(data: UntypedData): string {
  // Events from `compare` lack what differs between any two jobs, such as the number of the phase.
  const number = readCount(data, 'phase');
  return [number === undefined ? '' : `phase ${number}`, readText(data, 'kind'), readText(data, 'name')]
    .filter(Boolean)
    .join(' ');
}

function describeActor(data: UntypedData): string | undefined {
  const actor = readText(data, 'actor');
  return actor === undefined || actor === '' ? undefined : `by ${actor}`;
}

function describeAttempt(data: UntypedData): string | undefined {
  const number = readCount(data, 'attempt') ?? 1;
  return number > 1 ? `attempt ${number}` : undefined;
}

const LAYERS = ['system', 'todos', 'tools', 'summary', 'conversation'] as const;

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
    readText(data, 'code'),
    readText(data, 'message') ?? readText(data, 'reason') ?? readText(data, 'name'),
  );
}

function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((one) => one !== undefined && one !== '').join(' · ');
}

function describeRetention({ filesDays, vectorsDays }: UntypedData): string {
  const describe = (days: unknown): string => (typeof days === 'number' ? pluralise(days, 'day') : 'kept');
  return `files: ${describe(filesDays)}, vectors: ${describe(vectorsDays)}`;
}

/** Describes what was claimed. */
function summariseSubject(data: UntypedData): string | undefined {
  const subject = readObject(data, 'subject');
  const todo = readCount(subject, 'todoId');
  return todo === undefined ? readText(subject, 'outcome') : `todo ${todo}`;
}
