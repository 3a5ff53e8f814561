import type { EventRecord } from '@phaseline/client';
import { bytes, counted, shortCount, usd } from '../output/quantities.js';
import { callSubject } from './call-subject.js';
import { count, list, listLength, part, text, type Data } from './event-data.js';

/** What an event says, in a few words. Not yet fit for a terminal: pass it through `printable`. */
export function eventGist({ type, data }: Pick<EventRecord, 'type' | 'data'>): string {
  const read = gists[type];
  return (read ? read(data) : anyText(data)) ?? '';
}

const gists: Readonly<Record<string, (data: Data) => string | undefined>> = {
  JobSubmitted: (data) =>
    joined(
      text(part(data, 'agent'), 'name'),
      `workflow ${text(part(data, 'workflow'), 'name') ?? '?'}`,
      counted(Object.keys(part(data, 'tree')).length, 'file'),
    ),
  JobForked: (data) =>
    joined(
      `of ${text(part(data, 'parent'), 'jobId') ?? '?'} at ${count(data, 'at') ?? '?'}`,
      text(data, 'mode'),
      text(part(data, 'carried'), 'agent'),
    ),
  PhaseForked: (data) =>
    joined(`phase ${count(data, 'phase') ?? '?'}`, `behind event ${count(part(data, 'parent'), 'version') ?? '?'}`),
  PhaseDispatched: (data) => joined(phaseName(data), attempt(data)),
  PhaseStarted: (data) => joined(phaseName(data), counted(list(data, 'todos').length, 'todo'), attempt(data)),
  PhaseEnded: (data) => {
    const result = part(data, 'result');
    return joined(
      `phase ${count(data, 'phase') ?? '?'} ${text(result, 'kind') ?? ''}`,
      text(result, 'outcome') ?? text(part(result, 'failure'), 'message'),
    );
  },
  ModelCallStarted: (data) =>
    joined(
      `step ${count(data, 'step') ?? '?'}`,
      text(data, 'model'),
      `${shortCount(count(data, 'inputTokens') ?? 0)} tokens in${layersOf(part(data, 'layers'))}`,
    ),
  ModelResponded: (data) => {
    const usage = part(data, 'usage');
    const calls = list(data, 'calls').map((call) => text(call, 'name') ?? '?');
    const took = `${shortCount(count(usage, 'inputTokens') ?? 0)}+${shortCount(count(usage, 'outputTokens') ?? 0)} tokens, ${usd(count(data, 'costMicroUsd') ?? 0)}`;
    return joined(
      `step ${count(data, 'step') ?? '?'}`,
      took,
      calls.length > 0 ? calls.join(', ') : text(data, 'content'),
    );
  },
  ToolCallRequested: (data) => joined(text(data, 'name'), callSubject(part(data, 'arguments'))),
  ToolCallDenied: (data) => joined(text(data, 'name'), text(data, 'code'), text(data, 'message')),
  ToolCallStarted: (data) => text(data, 'callId'),
  ToolCallCompleted: (data) => joined(`${count(data, 'durationMs') ?? 0} ms`, text(data, 'content')),
  ToolCallFailed: (data) => joined(text(data, 'code'), text(data, 'message')),
  ApprovalRequested: (data) => joined(text(data, 'name'), callSubject(part(data, 'arguments')), text(data, 'callId')),
  ApprovalGranted: (data) => joined(text(data, 'callId'), `by ${text(data, 'actor') ?? '?'}`),
  ApprovalRefused: (data) => joined(text(data, 'callId'), `by ${text(data, 'actor') ?? '?'}`, text(data, 'reason')),
  ToolResultsCleared: (data) =>
    joined(counted(listLength(data, 'callIds'), 'result'), `${shortCount(count(data, 'tokens') ?? 0)} tokens`),
  ReasoningCleared: (data) =>
    joined(`up to step ${count(data, 'upToStep') ?? '?'}`, `${shortCount(count(data, 'tokens') ?? 0)} tokens`),
  ConversationSummarised: (data) =>
    joined(
      `step ${count(data, 'step') ?? '?'}`,
      counted(count(data, 'entries') ?? 0, 'entry', 'entries'),
      text(data, 'summary'),
    ),
  FileWritten: (data) => joined(text(data, 'path'), bytes(count(data, 'size') ?? 0)),
  FileDeleted: (data) => text(data, 'path'),
  TodoCompleted: (data) => joined(`todo ${count(data, 'todoId') ?? '?'}`, text(data, 'note')),
  TodosRewound: (data) => joined(text(data, 'pattern'), text(data, 'issue')),
  TodoAdded: (data) => joined(`todo ${count(data, 'todoId') ?? '?'}`, text(data, 'content')),
  TodoStarted: (data) => `todo ${count(data, 'todoId') ?? '?'}`,
  ExperienceNoted: (data) => joined(text(data, 'kind'), text(data, 'text')),
  TransitionRejected: (data) => joined(`gate ${text(data, 'gate') ?? '?'}`, text(data, 'message')),
  ModelCallFailed: (data) =>
    joined(`attempt ${count(data, 'attempts') ?? '?'}`, text(data, 'code'), text(data, 'message')),
  ModelAwaited: (data) => joined(text(data, 'code'), text(data, 'message'), `until ${text(data, 'until') ?? '?'}`),
  PhaseResumed: (data) =>
    joined(`epoch ${count(data, 'epoch') ?? '?'}`, `instead of ${text(data, 'previousHolder') ?? '?'}`),
  PhaseCompleted: (data) => joined(text(data, 'outcome'), text(part(data, 'completion'), 'summary')),
  JobCompletionProposed: (data) => text(part(data, 'completion'), 'summary'),
  JobCompleted: (data) => text(data, 'summary'),
  JobPaused: (data) => joined(byActor(data), text(data, 'reason')),
  JobResumed: (data) => joined(byActor(data), text(data, 'reason')),
  JobCancelRequested: (data) => joined(byActor(data), text(data, 'reason')),
  JobSteered: (data) => joined(text(data, 'message'), byActor(data)),
  JobErased: (data) => joined(`by ${text(data, 'actor') ?? '?'}`, text(data, 'reason')),
};

function phaseName(data: Data): string {
  // What `compare` shows of an event lacks what differs in every job, such as the number of the phase.
  const number = count(data, 'phase');
  return [number === undefined ? '' : `phase ${number}`, text(data, 'kind'), text(data, 'name')]
    .filter(Boolean)
    .join(' ');
}

function byActor(data: Data): string | undefined {
  const actor = text(data, 'actor');
  return actor === undefined || actor === '' ? undefined : `by ${actor}`;
}

function attempt(data: Data): string | undefined {
  const number = count(data, 'attempt') ?? 1;
  return number > 1 ? `attempt ${number}` : undefined;
}

const LAYERS = ['system', 'todos', 'tools', 'summary', 'conversation'] as const;

/** What each layer of the prompt takes, where the event says it. */
function layersOf(layers: Data): string {
  const taken = LAYERS.flatMap((name) => {
    const tokens = count(layers, name) ?? 0;
    return tokens > 0 ? [`${name} ${shortCount(tokens)}`] : [];
  });
  return taken.length > 0 ? ` (${taken.join(', ')})` : '';
}

/** For events of a newer server: what most of them call their text. */
function anyText(data: Data): string | undefined {
  return joined(text(data, 'code'), text(data, 'message') ?? text(data, 'reason') ?? text(data, 'name'));
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((one) => one !== undefined && one !== '').join(' · ');
}
