import {
  readCount,
  readListLength,
  readObject,
  readString,
  summariseCall,
  summariseEvent,
  type EventRecord,
  type UntypedData,
} from '@phaseline/client';
import type { StreamId } from '@phaseline/contracts';
import { fit } from '../output/display-width.js';
import { toPrintable } from '../output/printable.js';
import { formatClock, pluralise, formatCount } from '../output/quantities.js';
import { getCurrentPhase, type JobProgress, type PhaseProgress } from './job-progress.js';
import { getElapsedMs, formatUsage } from './render-progress.js';

/** Maximum width of names and of texts from models within a line. */
const TEXT_COLUMNS = 100;

/**
 * Renders an event as a progress line for output without a terminal; undefined for events that show no progress. `progress` must
 * already include the event.
 */
export function renderProgressLine(progress: JobProgress, event: EventRecord): string | undefined {
  const description = describe(progress, event);
  return description === undefined
    ? undefined
    : `${formatClock(getElapsedMs(progress, Date.parse(event.recordedAt))).padStart(6)}  ${description}`;
}

function describe(progress: JobProgress, { type, data, streamId }: EventRecord): string | undefined {
  const phase = findPhase(progress, streamId);
  const label = phase ? `phase ${phase.number}` : 'job';
  switch (type) {
    case 'JobSubmitted':
      return `job ${progress.jobId} submitted to ${shorten(progress.agent)}`;
    case 'PhaseStarted':
      return (
        phase &&
        `${label} started: ${phase.kind}, ${shorten(phase.name)}${describePlace(data)}, ${pluralise(phase.todos.length, 'todo')}`
      );
    case 'ToolCallRequested': {
      const name = readString(data, 'name') ?? 'a tool';
      // TodoCompleted has its own line.
      if (name === 'todo_complete') return undefined;
      return `${label} · ${shorten(`${name} ${summariseCall(readObject(data, 'arguments'))}`)}`;
    }
    case 'ToolCallDenied':
      return `${label} · call of ${shorten(readString(data, 'name') ?? 'a tool')} refused: ${shorten(readString(data, 'message') ?? '')}`;
    case 'ToolCallFailed':
      return `${label} · a tool call failed: ${shorten(readString(data, 'message') ?? '')}`;
    case 'TodoCompleted': {
      const todo = phase?.todos.find((one) => one.id === data['todoId']);
      return phase && `${label} · ${countDone(phase)} done: ${shorten(todo?.content ?? '')}`;
    }
    case 'TodoBlocked':
      return `${label} · todo ${readCount(data, 'todoId') ?? '?'} is blocked: ${shorten(readString(data, 'reason') ?? '')} (see phaseline inbox)`;
    case 'TodoUnblocked':
      return `${label} · todo ${readCount(data, 'todoId') ?? '?'} is no longer blocked`;
    case 'TransitionRejected':
      return `${label} · gate ${shorten(readString(data, 'gate') ?? '')} refused: ${shorten(readString(data, 'message') ?? '')}`;
    case 'PhaseNudged':
      return `${label} · the model stopped too early and was asked to continue`;
    case 'StuckDetected':
      return `${label} · stuck (${shorten(readString(data, 'rung') ?? '')}): ${shorten(readString(data, 'explanation') ?? '')}`;
    case 'ToolResultsCleared':
      return `${label} · ${pluralise(readListLength(data, 'callIds'), 'old result')} cleared from the conversation, ${formatCount(readCount(data, 'tokens') ?? 0)} tokens less per call`;
    case 'ReasoningCleared':
      return `${label} · older reasoning cleared from the conversation, ${formatCount(readCount(data, 'tokens') ?? 0)} tokens less per call`;
    case 'ConversationSummarised':
      return `${label} · the conversation was summarised: ${pluralise(readCount(data, 'entries') ?? 0, 'entry', 'entries')} replaced`;
    case 'SummaryNotRecorded':
      return `${label} · the recording has no summary, so the conversation was kept whole: ${formatCount(readCount(data, 'promptTokens') ?? 0)} tokens`;
    case 'ReflectionRecorded': {
      const refused = readString(data, 'refused');
      const outcome =
        refused === undefined ? shorten(readString(data, 'text') ?? '') : `refused, because ${shorten(refused)}`;
      return `${label} · reflection on the failed attempt (${shorten(readString(data, 'part') ?? '?')}): ${outcome}`;
    }
    case 'ReflectionSkipped':
      return `${label} · continues without a reflection on the failed attempt: ${shorten(readString(data, 'message') ?? '')}`;
    case 'ApprovalRequested':
      return `${label} · waiting for approval: ${shorten(summariseEvent({ type: 'ToolCallRequested', data }))} (${shorten(readString(data, 'callId') ?? '?')})`;
    case 'QuestionAsked':
      return `${label} · asks a person: ${shorten(readString(data, 'question') ?? '?')} (${shorten(readString(data, 'callId') ?? '?')}; see phaseline inbox)`;
    case 'QuestionAnswered':
      return `${label} · question ${shorten(readString(data, 'callId') ?? '?')} answered by ${shorten(readString(data, 'actor') ?? '?')}`;
    case 'QuestionTimedOut':
      return `${label} · question ${shorten(readString(data, 'callId') ?? '?')} timed out`;
    case 'ToolCallAmended':
      return `${label} · arguments of ${shorten(readString(data, 'callId') ?? '?')} changed by ${shorten(readString(data, 'actor') ?? '?')}`;
    case 'ApprovalGranted':
      return `${label} · call ${shorten(readString(data, 'callId') ?? '?')} approved by ${shorten(readString(data, 'actor') ?? '?')}`;
    case 'ApprovalRefused':
      return `${label} · call ${shorten(readString(data, 'callId') ?? '?')} refused by ${shorten(readString(data, 'actor') ?? '?')}${describeReason(data)}`;
    case 'JobPaused':
      return `job paused${describeActor(data)}${describeReason(data)}`;
    case 'JobResumed':
      return `job resumed${describeActor(data)}${describeReason(data)}`;
    case 'ModelCallFailed':
      return `${label} · model call failed: ${shorten(readString(data, 'message') ?? '')}`;
    case 'ModelAwaited':
      return `${label} · waiting for the model server until ${readString(data, 'until') ?? '?'}: ${shorten(readString(data, 'message') ?? '')}`;
    case 'PhaseTakenOver':
      return `${label} · taken over by another worker`;
    case 'PhaseCompleted':
      return phase && `${label} completed: ${countDone(phase)} todos · ${formatUsage(progress)}`;
    case 'PhaseFailed':
      return `${label} failed: ${shorten(readString(data, 'message') ?? '')}`;
    case 'PhaseCancelled':
      return `${label} cancelled`;
    case 'ItemsListed':
      return `job · ${pluralise(readListLength(data, 'items'), 'item')} to do`;
    case 'ItemStarted':
      return `job · ${shorten(readString(data, 'id') ?? '?')} is begun`;
    case 'ItemChanged':
      return `job · ${shorten(readString(data, 'id') ?? '?')} is ${describeItem(data)}`;
    case 'JobCancelRequested':
      return 'job is being cancelled';
    case 'JobCompleted':
      return `job completed · ${formatUsage(progress)}`;
    case 'JobFailed':
      // It may have ended as blocked or aborted.
      return `job ${progress.status}: ${shorten(readString(data, 'message') ?? '')}`;
    case 'JobCancelled':
      return 'job cancelled';
    default:
      return undefined;
  }
}

function findPhase(progress: JobProgress, streamId: StreamId): PhaseProgress | undefined {
  const number = Number(/^phase-.*-(\d+)$/.exec(streamId)?.[1]);
  return (
    progress.phases.find((phase) => phase.number === number) ??
    (streamId.startsWith('phase-') ? getCurrentPhase(progress) : undefined)
  );
}

function countDone(phase: PhaseProgress): string {
  return `${phase.todos.filter((todo) => todo.isDone).length}/${phase.todos.length}`;
}

function describeActor(data: UntypedData): string {
  const actor = readString(data, 'actor') ?? '';
  return actor === '' ? '' : ` by ${shorten(actor)}`;
}

/** Returns the reason given by a person; empty if there is none. */
function describeReason(data: UntypedData): string {
  const reason = readString(data, 'reason') ?? '';
  return reason.trim() === '' ? '' : `: ${shorten(reason)}`;
}

/** Describes what became of an item of a loop. */
function describeItem(data: UntypedData): string {
  const attempts = readCount(data, 'attempts') ?? 0;
  const failed = attempts === 0 ? '' : ` after ${pluralise(attempts, 'failed attempt')}`;
  return `${shorten(readString(data, 'status') ?? '?')}${failed}${describeReason(data)}`;
}

function shorten(value: string): string {
  return fit(toPrintable(value), TEXT_COLUMNS);
}

/** Describes the place of a phase in the plan, if the plan could be counted: " (2 of 4)". */
function describePlace(data: UntypedData): string {
  const plan = readObject(data, 'plan');
  const [number, total] = [readCount(plan, 'number'), readCount(plan, 'total')];
  return number === undefined || total === undefined ? '' : ` (${number} of ${total})`;
}
