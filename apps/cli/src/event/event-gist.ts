import type { EventRecord } from '@phaseline/client';
import { bytes, counted, shortCount, usd } from '../output/quantities.js';
import { callSubject } from './call-subject.js';
import { count, list, listLength, part, text, type Data } from './event-data.js';

/** Summarises an event in a few words. Pass the result through `printable` before it is shown on a terminal. */
export function eventGist({ type, data }: Pick<EventRecord, 'type' | 'data'>): string {
  const read = gists[type];
  return (read ? read(data) : describeUnknown(data)) ?? '';
}

const gists: Readonly<Record<string, (data: Data) => string | undefined>> = {
  JobSubmitted: (data) =>
    joinParts(
      text(part(data, 'agent'), 'name'),
      `workflow ${text(part(data, 'workflow'), 'name') ?? '?'}`,
      counted(Object.keys(part(data, 'tree')).length, 'file'),
    ),
  JobForked: (data) =>
    joinParts(
      `of ${text(part(data, 'parent'), 'jobId') ?? '?'} at ${count(data, 'at') ?? '?'}`,
      text(data, 'mode'),
      text(part(data, 'carried'), 'agent'),
    ),
  PhaseForked: (data) =>
    joinParts(`phase ${count(data, 'phase') ?? '?'}`, `after event ${count(part(data, 'parent'), 'version') ?? '?'}`),
  PhaseDispatched: (data) => joinParts(describePhase(data), describeAttempt(data)),
  PhaseStarted: (data) =>
    joinParts(describePhase(data), counted(list(data, 'todos').length, 'todo'), describeAttempt(data)),
  PhaseEnded: (data) => {
    const result = part(data, 'result');
    return joinParts(
      `phase ${count(data, 'phase') ?? '?'} ${text(result, 'kind') ?? ''}`,
      text(result, 'outcome') ?? text(part(result, 'failure'), 'message'),
    );
  },
  ModelCallStarted: (data) =>
    joinParts(
      `step ${count(data, 'step') ?? '?'}`,
      text(data, 'model'),
      `${shortCount(count(data, 'inputTokens') ?? 0)} tokens in${describeLayers(part(data, 'layers'))}`,
    ),
  ModelResponded: (data) => {
    const usage = part(data, 'usage');
    const calls = list(data, 'calls').map((call) => text(call, 'name') ?? '?');
    const cost = `${shortCount(count(usage, 'inputTokens') ?? 0)}+${shortCount(count(usage, 'outputTokens') ?? 0)} tokens, ${usd(count(data, 'costMicroUsd') ?? 0)}`;
    return joinParts(
      `step ${count(data, 'step') ?? '?'}`,
      cost,
      calls.length > 0 ? calls.join(', ') : text(data, 'content'),
    );
  },
  ToolCallRequested: (data) => joinParts(text(data, 'name'), callSubject(part(data, 'arguments'))),
  ToolCallDenied: (data) => joinParts(text(data, 'name'), text(data, 'code'), text(data, 'message')),
  ToolCallStarted: (data) => text(data, 'callId'),
  ToolCallCompleted: (data) => joinParts(`${count(data, 'durationMs') ?? 0} ms`, text(data, 'content')),
  ToolCallFailed: (data) => joinParts(text(data, 'code'), text(data, 'message')),
  ApprovalRequested: (data) =>
    joinParts(text(data, 'name'), callSubject(part(data, 'arguments')), text(data, 'callId')),
  ApprovalGranted: (data) => joinParts(text(data, 'callId'), `by ${text(data, 'actor') ?? '?'}`),
  ApprovalRefused: (data) => joinParts(text(data, 'callId'), `by ${text(data, 'actor') ?? '?'}`, text(data, 'reason')),
  ToolResultsCleared: (data) =>
    joinParts(counted(listLength(data, 'callIds'), 'result'), `${shortCount(count(data, 'tokens') ?? 0)} tokens`),
  ReasoningCleared: (data) =>
    joinParts(`up to step ${count(data, 'upToStep') ?? '?'}`, `${shortCount(count(data, 'tokens') ?? 0)} tokens`),
  ConversationSummarised: (data) =>
    joinParts(
      `step ${count(data, 'step') ?? '?'}`,
      counted(count(data, 'entries') ?? 0, 'entry', 'entries'),
      text(data, 'summary'),
    ),
  FileWritten: (data) => joinParts(text(data, 'path'), bytes(count(data, 'size') ?? 0)),
  FileDeleted: (data) => text(data, 'path'),
  TodoCompleted: (data) => joinParts(`todo ${count(data, 'todoId') ?? '?'}`, text(data, 'note')),
  TodosRewound: (data) => joinParts(text(data, 'pattern'), text(data, 'issue')),
  TodoAdded: (data) => joinParts(`todo ${count(data, 'todoId') ?? '?'}`, text(data, 'content')),
  TodoStarted: (data) => `todo ${count(data, 'todoId') ?? '?'}`,
  ExperienceNoted: (data) => joinParts(text(data, 'kind'), text(data, 'text')),
  TransitionRejected: (data) => joinParts(`gate ${text(data, 'gate') ?? '?'}`, text(data, 'message')),
  ModelCallFailed: (data) =>
    joinParts(`attempt ${count(data, 'attempts') ?? '?'}`, text(data, 'code'), text(data, 'message')),
  ModelAwaited: (data) => joinParts(text(data, 'code'), text(data, 'message'), `until ${text(data, 'until') ?? '?'}`),
  PhaseResumed: (data) =>
    joinParts(`epoch ${count(data, 'epoch') ?? '?'}`, `taken over from ${text(data, 'previousHolder') ?? '?'}`),
  PhaseCompleted: (data) => joinParts(text(data, 'outcome'), text(part(data, 'completion'), 'summary')),
  JobCompletionProposed: (data) => text(part(data, 'completion'), 'summary'),
  JobCompleted: (data) => text(data, 'summary'),
  JobPaused: (data) => joinParts(describeActor(data), text(data, 'reason')),
  JobResumed: (data) => joinParts(describeActor(data), text(data, 'reason')),
  JobCancelRequested: (data) => joinParts(describeActor(data), text(data, 'reason')),
  JobSteered: (data) => joinParts(text(data, 'message'), describeActor(data)),
  JobErased: (data) => joinParts(`by ${text(data, 'actor') ?? '?'}`, text(data, 'reason')),
};

function describePhase(data: Data): string {
  // Events from `compare` lack what differs between any two jobs, such as the number of the phase.
  const number = count(data, 'phase');
  return [number === undefined ? '' : `phase ${number}`, text(data, 'kind'), text(data, 'name')]
    .filter(Boolean)
    .join(' ');
}

function describeActor(data: Data): string | undefined {
  const actor = text(data, 'actor');
  return actor === undefined || actor === '' ? undefined : `by ${actor}`;
}

function describeAttempt(data: Data): string | undefined {
  const number = count(data, 'attempt') ?? 1;
  return number > 1 ? `attempt ${number}` : undefined;
}

const LAYERS = ['system', 'todos', 'tools', 'summary', 'conversation'] as const;

/** Lists the tokens per layer of the prompt, if the event has them. */
function describeLayers(layers: Data): string {
  const shares = LAYERS.flatMap((name) => {
    const tokens = count(layers, name) ?? 0;
    return tokens > 0 ? [`${name} ${shortCount(tokens)}`] : [];
  });
  return shares.length > 0 ? ` (${shares.join(', ')})` : '';
}

/** Summarises an event of an unknown type by the fields that most events use for text. */
function describeUnknown(data: Data): string | undefined {
  return joinParts(text(data, 'code'), text(data, 'message') ?? text(data, 'reason') ?? text(data, 'name'));
}

function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((one) => one !== undefined && one !== '').join(' · ');
}
