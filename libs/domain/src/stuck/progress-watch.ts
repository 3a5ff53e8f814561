import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import type { CallState, PhaseState } from '../phase/phase-state.js';
import { computeFingerprint } from './fingerprint.js';
import { shortenCall, type EndedCall } from './ended-call.js';
import type { ProgressWatch, WatchedStep } from './watched-step.js';

/** Number of remembered steps. Longer cycles are caught by the count of steps without a completed todo. */
const MAX_WATCHED_STEPS = 56;

const EMPTY_WATCH: ProgressWatch = { steps: [], files: {}, streaksAfterStep: 0, lastProgressStep: 0, rungs: [] };

/** Whether the event ends a nested call. What it brought shows in the result of the outer call. */
function isNested(state: PhaseState, event: PhaseEvent): boolean {
  if (event.type === 'ToolCallDenied') return event.data.parent !== undefined;
  const ends =
    event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed' || event.type === 'ApprovalRefused';
  return ends && state.calls[event.data.callId]?.parent !== undefined;
}

/** Folds one event into the watch. `state` is the phase before the event. Most events change nothing. */
export function watchProgress(state: PhaseState, event: PhaseEvent): ProgressWatch | undefined {
  const watch = state.watch ?? EMPTY_WATCH;
  if (isNested(state, event)) return state.watch;
  switch (event.type) {
    case 'ModelResponded': {
      const { step, calls } = event.data;
      return {
        ...watch,
        files: {},
        steps: [...watch.steps, { step, calls: calls.length, ended: [] }].slice(-MAX_WATCHED_STEPS),
      };
    }
    case 'FileWritten':
    case 'FileDeleted': {
      const { callId, path } = event.data;
      if (callId === undefined) return state.watch;
      // Files that a script wrote are attributed to the call that ran it.
      const owner = state.calls[callId]?.parent ?? callId;
      const file = computeFingerprint(`${path}\n${event.type === 'FileWritten' ? event.data.hash : ''}`);
      return { ...watch, files: { ...watch.files, [owner]: [...(watch.files[owner] ?? []), file] } };
    }
    case 'ToolCallCompleted':
      return addEndedCall(watch, state.calls[event.data.callId], event.data.content, false);
    case 'ToolCallFailed':
      return addEndedCall(watch, state.calls[event.data.callId], `${event.data.code} ${event.data.message}`, true);
    case 'ToolCallDenied': {
      const { name, code, message } = event.data;
      return addCall(watch, {
        name,
        arguments: {},
        effect: 'pure',
        content: `${code} ${message}`,
        failed: true,
        files: [],
      });
    }
    case 'ApprovalRefused':
      return addEndedCall(watch, state.calls[event.data.callId], 'refused by a person', true);
    case 'ToolResultsCleared':
      return { ...watch, steps: markResultsCleared(watch.steps, state, new Set(event.data.callIds)) };
    case 'ConversationSummarised':
      return { ...watch, steps: watch.steps.map(markCleared) };
    case 'TodoCompleted':
      return recordProgress(watch, state);
    case 'PhaseSteered':
      return recordProgress(watch, state);
    case 'StuckDetected':
      return recordDetection(watch, state, event.data);
    default:
      return state.watch;
  }
}

function recordDetection(
  watch: ProgressWatch,
  { spending }: PhaseState,
  { rung, pattern, distinct }: PhaseEventData<'StuckDetected'>,
): ProgressWatch {
  if (distinct) return { ...watch, streaksAfterStep: spending.steps, advised: [...(watch.advised ?? []), pattern] };
  return { ...watch, streaksAfterStep: spending.steps, rungs: [...watch.rungs, rung] };
}

function recordProgress(watch: ProgressWatch, { spending }: PhaseState): ProgressWatch {
  const { advised: _advised, ...rest } = watch;
  return { ...rest, streaksAfterStep: spending.steps, lastProgressStep: spending.steps, rungs: [] };
}

function addEndedCall(
  watch: ProgressWatch,
  call: CallState | undefined,
  content: string,
  failed: boolean,
): ProgressWatch {
  if (!call) return watch;
  const { callId, name, effect } = call;
  return addCall(watch, {
    name,
    arguments: call.arguments,
    effect,
    content,
    failed,
    files: watch.files[callId] ?? [],
  });
}

function addCall(watch: ProgressWatch, call: EndedCall): ProgressWatch {
  const last = watch.steps.at(-1);
  if (!last) return watch;
  const ended = [...last.ended, { call: shortenCall(call) }];
  return { ...watch, steps: watch.steps.with(-1, { ...last, ended }) };
}

/** Marks results that the model can no longer see, and may therefore ask for again. The step is found by the answer that made the call. */
function markResultsCleared(
  steps: readonly WatchedStep[],
  { transcript }: PhaseState,
  callIds: ReadonlySet<string>,
): readonly WatchedStep[] {
  const cleared = new Set(
    transcript.flatMap((entry) =>
      entry.kind === 'answer' && entry.answer.calls.some(({ callId }) => callIds.has(callId))
        ? [entry.answer.step]
        : [],
    ),
  );
  return steps.map((step) => (cleared.has(step.step) ? markCleared(step) : step));
}

function markCleared(step: WatchedStep): WatchedStep {
  return { ...step, ended: step.ended.map(({ call }) => ({ call, isCleared: true })) };
}
