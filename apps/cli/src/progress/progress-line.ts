import type { EventRecord } from '@phaseline/client';
import { callSubject } from '../event/call-subject.js';
import { count, listLength, part, text, type Data } from '../event/event-data.js';
import { eventGist } from '../event/event-gist.js';
import { fit } from '../output/display-width.js';
import { printable } from '../output/printable.js';
import { clock, counted, shortCount } from '../output/quantities.js';
import { currentPhase, type JobProgress, type PhaseProgress } from './job-progress.js';
import { elapsedMs, usageText } from './render-progress.js';

/** Maximum width of names and of texts from models within a line. */
const TEXT_COLUMNS = 100;

/**
 * Renders an event as a progress line for output without a terminal; undefined for events that show no progress. `progress` must
 * already include the event.
 */
export function progressLine(progress: JobProgress, event: EventRecord): string | undefined {
  const description = describe(progress, event);
  return description === undefined
    ? undefined
    : `${clock(elapsedMs(progress, Date.parse(event.recordedAt))).padStart(6)}  ${description}`;
}

function describe(progress: JobProgress, { type, data, streamId }: EventRecord): string | undefined {
  const phase = findPhase(progress, streamId);
  const label = phase ? `phase ${phase.number}` : 'job';
  switch (type) {
    case 'JobSubmitted':
      return `job ${progress.jobId} submitted to ${shorten(progress.agent)}`;
    case 'PhaseStarted':
      return phase && `${label} started: ${phase.kind}, ${shorten(phase.name)}, ${counted(phase.todos.length, 'todo')}`;
    case 'ToolCallRequested': {
      const name = text(data, 'name') ?? 'a tool';
      // TodoCompleted has a line of its own.
      if (name === 'todo_complete') return undefined;
      return `${label} · ${shorten(`${name} ${callSubject(part(data, 'arguments'))}`)}`;
    }
    case 'ToolCallDenied':
      return `${label} · call of ${shorten(text(data, 'name') ?? 'a tool')} refused: ${shorten(text(data, 'message') ?? '')}`;
    case 'ToolCallFailed':
      return `${label} · a tool call failed: ${shorten(text(data, 'message') ?? '')}`;
    case 'TodoCompleted': {
      const todo = phase?.todos.find((one) => one.id === data['todoId']);
      return phase && `${label} · ${countDone(phase)} done: ${shorten(todo?.content ?? '')}`;
    }
    case 'TransitionRejected':
      return `${label} · gate ${shorten(text(data, 'gate') ?? '')} refused: ${shorten(text(data, 'message') ?? '')}`;
    case 'PhaseNudged':
      return `${label} · the model stopped too early and was asked to continue`;
    case 'StuckDetected':
      return `${label} · stuck (${shorten(text(data, 'rung') ?? '')}): ${shorten(text(data, 'evidence') ?? '')}`;
    case 'ToolResultsCleared':
      return `${label} · ${counted(listLength(data, 'callIds'), 'old result')} cleared from the conversation, ${shortCount(count(data, 'tokens') ?? 0)} tokens less per call`;
    case 'ReasoningCleared':
      return `${label} · older reasoning cleared from the conversation, ${shortCount(count(data, 'tokens') ?? 0)} tokens less per call`;
    case 'ConversationSummarised':
      return `${label} · the conversation was summarised: ${counted(count(data, 'entries') ?? 0, 'entry', 'entries')} replaced`;
    case 'ApprovalRequested':
      return `${label} · waiting for approval: ${shorten(eventGist({ type: 'ToolCallRequested', data }))} (${shorten(text(data, 'callId') ?? '?')})`;
    case 'ApprovalGranted':
      return `${label} · call ${shorten(text(data, 'callId') ?? '?')} approved by ${shorten(text(data, 'actor') ?? '?')}`;
    case 'ApprovalRefused':
      return `${label} · call ${shorten(text(data, 'callId') ?? '?')} refused by ${shorten(text(data, 'actor') ?? '?')}${describeReason(data)}`;
    case 'JobPaused':
      return `job paused${describeActor(data)}${describeReason(data)}`;
    case 'JobResumed':
      return `job resumed${describeActor(data)}${describeReason(data)}`;
    case 'ModelCallFailed':
      return `${label} · model call failed: ${shorten(text(data, 'message') ?? '')}`;
    case 'ModelAwaited':
      return `${label} · waiting for the model server until ${text(data, 'until') ?? '?'}: ${shorten(text(data, 'message') ?? '')}`;
    case 'PhaseResumed':
      return `${label} · taken over by another worker`;
    case 'PhaseCompleted':
      return phase && `${label} completed: ${countDone(phase)} todos · ${usageText(progress)}`;
    case 'PhaseFailed':
      return `${label} failed: ${shorten(text(data, 'message') ?? '')}`;
    case 'PhaseCancelled':
      return `${label} cancelled`;
    case 'JobCancelRequested':
      return 'job is being cancelled';
    case 'JobCompleted':
      return `job completed · ${usageText(progress)}`;
    case 'JobFailed':
      return `job failed: ${shorten(text(data, 'message') ?? '')}`;
    case 'JobCancelled':
      return 'job cancelled';
    default:
      return undefined;
  }
}

function findPhase(progress: JobProgress, streamId: string): PhaseProgress | undefined {
  const number = Number(/^phase-.*-(\d+)$/.exec(streamId)?.[1]);
  return (
    progress.phases.find((phase) => phase.number === number) ??
    (streamId.startsWith('phase-') ? currentPhase(progress) : undefined)
  );
}

function countDone(phase: PhaseProgress): string {
  return `${phase.todos.filter((todo) => todo.done).length}/${phase.todos.length}`;
}

function describeActor(data: Data): string {
  const actor = text(data, 'actor') ?? '';
  return actor === '' ? '' : ` by ${shorten(actor)}`;
}

/** Returns the reason given by a person; empty if there is none. */
function describeReason(data: Data): string {
  const reason = text(data, 'reason') ?? '';
  return reason.trim() === '' ? '' : `: ${shorten(reason)}`;
}

function shorten(value: string): string {
  return fit(printable(value), TEXT_COLUMNS);
}
