import type { EventRecord } from '@phaseline/client';
import { callSubject } from '../event/call-subject.js';
import { count, listLength, part, text, type Data } from '../event/event-data.js';
import { eventGist } from '../event/event-gist.js';
import { fit } from '../output/display-width.js';
import { printable } from '../output/printable.js';
import { clock, counted, shortCount } from '../output/quantities.js';
import { currentPhase, type JobProgress, type PhaseProgress } from './job-progress.js';
import { elapsedMs, usageText } from './render-progress.js';

/** Long names and texts of a model must not turn one line into a page. */
const TEXT_COLUMNS = 100;

/**
 * What an event means to somebody who reads along without a terminal; undefined for events that only say that time passes.
 * `progress` is the job with the event folded in.
 */
export function progressLine(progress: JobProgress, event: EventRecord): string | undefined {
  const said = describe(progress, event);
  return said === undefined
    ? undefined
    : `${clock(elapsedMs(progress, Date.parse(event.recordedAt))).padStart(6)}  ${said}`;
}

function describe(progress: JobProgress, { type, data, streamId }: EventRecord): string | undefined {
  const phase = phaseOf(progress, streamId);
  const label = phase ? `phase ${phase.number}` : 'job';
  switch (type) {
    case 'JobSubmitted':
      return `job ${progress.jobId} submitted to ${short(progress.agent)}`;
    case 'PhaseStarted':
      return phase && `${label} started: ${phase.kind}, ${short(phase.name)}, ${counted(phase.todos.length, 'todo')}`;
    case 'ToolCallRequested': {
      const name = text(data, 'name') ?? 'a tool';
      // Its effect has a line of its own.
      if (name === 'todo_complete') return undefined;
      return `${label} · ${short(`${name} ${callSubject(part(data, 'arguments'))}`)}`;
    }
    case 'ToolCallDenied':
      return `${label} · call of ${short(text(data, 'name') ?? 'a tool')} refused: ${short(text(data, 'message') ?? '')}`;
    case 'ToolCallFailed':
      return `${label} · a tool call failed: ${short(text(data, 'message') ?? '')}`;
    case 'TodoCompleted': {
      const todo = phase?.todos.find((one) => one.id === data['todoId']);
      return phase && `${label} · ${done(phase)} done: ${short(todo?.content ?? '')}`;
    }
    case 'TransitionRejected':
      return `${label} · gate ${short(text(data, 'gate') ?? '')} refused: ${short(text(data, 'message') ?? '')}`;
    case 'PhaseNudged':
      return `${label} · the model stopped too early and was told to go on`;
    case 'StuckDetected':
      return `${label} · going in circles (${short(text(data, 'rung') ?? '')}): ${short(text(data, 'evidence') ?? '')}`;
    case 'ToolResultsCleared':
      return `${label} · ${counted(listLength(data, 'callIds'), 'old result')} cleared from the conversation, ${shortCount(count(data, 'tokens') ?? 0)} tokens less per call`;
    case 'ReasoningCleared':
      return `${label} · older reasoning cleared from the conversation, ${shortCount(count(data, 'tokens') ?? 0)} tokens less per call`;
    case 'ConversationSummarised':
      return `${label} · the conversation was summarised: ${counted(count(data, 'entries') ?? 0, 'entry', 'entries')} replaced`;
    case 'ApprovalRequested':
      return `${label} · waits for a person to allow: ${short(eventGist({ type: 'ToolCallRequested', data }))} (${short(text(data, 'callId') ?? '?')})`;
    case 'ApprovalGranted':
      return `${label} · call ${short(text(data, 'callId') ?? '?')} approved by ${short(text(data, 'actor') ?? '?')}`;
    case 'ApprovalRefused':
      return `${label} · call ${short(text(data, 'callId') ?? '?')} refused by ${short(text(data, 'actor') ?? '?')}${because(data)}`;
    case 'JobPaused':
      return `job paused${by(data)}${because(data)}`;
    case 'JobResumed':
      return `job resumed${by(data)}${because(data)}`;
    case 'ModelCallFailed':
      return `${label} · the model failed: ${short(text(data, 'message') ?? '')}`;
    case 'ModelAwaited':
      return `${label} · waits for the model server, until ${text(data, 'until') ?? '?'}: ${short(text(data, 'message') ?? '')}`;
    case 'PhaseResumed':
      return `${label} · taken over by another worker`;
    case 'PhaseCompleted':
      return phase && `${label} completed: ${done(phase)} todos · ${usageText(progress)}`;
    case 'PhaseFailed':
      return `${label} failed: ${short(text(data, 'message') ?? '')}`;
    case 'PhaseCancelled':
      return `${label} cancelled`;
    case 'JobCancelRequested':
      return 'job is being cancelled';
    case 'JobCompleted':
      return `job completed · ${usageText(progress)}`;
    case 'JobFailed':
      return `job failed: ${short(text(data, 'message') ?? '')}`;
    case 'JobCancelled':
      return 'job cancelled';
    default:
      return undefined;
  }
}

function phaseOf(progress: JobProgress, streamId: string): PhaseProgress | undefined {
  const number = Number(/^phase-.*-(\d+)$/.exec(streamId)?.[1]);
  return (
    progress.phases.find((phase) => phase.number === number) ??
    (streamId.startsWith('phase-') ? currentPhase(progress) : undefined)
  );
}

function done(phase: PhaseProgress): string {
  return `${phase.todos.filter((todo) => todo.done).length}/${phase.todos.length}`;
}

function by(data: Data): string {
  const actor = text(data, 'actor') ?? '';
  return actor === '' ? '' : ` by ${short(actor)}`;
}

/** The reason that a person gave, which may be none. */
function because(data: Data): string {
  const reason = text(data, 'reason') ?? '';
  return reason.trim() === '' ? '' : `: ${short(reason)}`;
}

function short(said: string): string {
  return fit(printable(said), TEXT_COLUMNS);
}
