import type { CallId } from '@phaseline/contracts';
import type { PhaseEventData } from '../phase/phase-events.js';
import type { PhaseCalls } from '../phase/state/calls.js';
import { keep, type ChangeEvent } from '../phase/state/changed-groups.js';
import { computeFingerprint } from './fingerprint.js';
import { shortenCall, type EndedCall } from './ended-call.js';
import type { ProgressWatch, WatchedStep } from './watched-step.js';

/** Number of remembered steps. Longer cycles are caught by the count of steps without a completed todo. */
const MAX_WATCHED_STEPS = 56;

export const EMPTY_WATCH: ProgressWatch = { steps: [], files: {}, streaksAfterStep: 0, lastProgressStep: 0, rungs: [] };

/** Folds one event. `calls` are those before it, and `step` is the last step before it. */
export function foldWatch(watch: ProgressWatch, event: ChangeEvent, calls: PhaseCalls, step: number): ProgressWatch {
  switch (event.type) {
    case 'ModelResponded':
      return addStep(watch, event.data);
    case 'FileWritten':
      return addFile(watch, calls, event.data, event.data.hash);
    case 'FileDeleted':
      return addFile(watch, calls, event.data, '');
    case 'ToolCallCompleted':
      return addEndedCall(watch, calls, event.data.callId, event.data.content, false);
    case 'ToolCallFailed':
      return addEndedCall(watch, calls, event.data.callId, `${event.data.code} ${event.data.message}`, true);
    case 'ApprovalRefused':
      return addEndedCall(watch, calls, event.data.callId, 'refused by a person', true);
    case 'ToolCallDenied':
      return addDeniedCall(watch, event.data);
    case 'ToolResultsCleared':
      return { ...watch, steps: markResultsCleared(watch.steps, new Set(event.data.callIds)) };
    case 'ConversationSummarised':
      return { ...watch, steps: watch.steps.map(markCleared) };
    case 'TodoCompleted':
    case 'PhaseSteered':
      return recordProgress(watch, step);
    case 'StuckDetected':
      return recordDetection(watch, event.data, step);
    default:
      return keep(watch, 'watch', event);
  }
}

function addStep(watch: ProgressWatch, { step, calls }: PhaseEventData<'ModelResponded'>): ProgressWatch {
  const watched = { step, callIds: calls.map(({ callId }) => callId), ended: [] };
  return { ...watch, files: {}, steps: [...watch.steps, watched].slice(-MAX_WATCHED_STEPS) };
}

function addFile(
  watch: ProgressWatch,
  { byId }: PhaseCalls,
  { callId, path }: { readonly callId?: CallId | undefined; readonly path: string },
  hash: string,
): ProgressWatch {
  if (callId === undefined) return watch;
  // Files that a script wrote are attributed to the call that ran it.
  const owner = byId[callId]?.parent ?? callId;
  const files = [...(watch.files[owner] ?? []), computeFingerprint(`${path}\n${hash}`)];
  return { ...watch, files: { ...watch.files, [owner]: files } };
}

/** Adds how a call ended. The result of the outer call shows what a nested call returned. */
function addEndedCall(
  watch: ProgressWatch,
  { byId }: PhaseCalls,
  callId: CallId,
  content: string,
  failed: boolean,
): ProgressWatch {
  const call = byId[callId];
  if (!call || call.status === 'denied' || call.parent !== undefined) return watch;
  const { name, effect, arguments: args } = call;
  return addCall(watch, { name, arguments: args, effect, content, failed, files: watch.files[callId] ?? [] });
}

function addDeniedCall(
  watch: ProgressWatch,
  { name, code, message, parent }: PhaseEventData<'ToolCallDenied'>,
): ProgressWatch {
  if (parent !== undefined) return watch;
  const content = `${code} ${message}`;
  return addCall(watch, { name, arguments: {}, effect: 'pure', content, failed: true, files: [] });
}

function addCall(watch: ProgressWatch, call: EndedCall): ProgressWatch {
  const last = watch.steps.at(-1);
  if (!last) return watch;
  const ended = [...last.ended, { call: shortenCall(call) }];
  return { ...watch, steps: watch.steps.with(-1, { ...last, ended }) };
}

/** Marks results that the model can no longer see, and may therefore ask for again. */
function markResultsCleared(steps: readonly WatchedStep[], callIds: ReadonlySet<CallId>): readonly WatchedStep[] {
  return steps.map((step) => (step.callIds.some((callId) => callIds.has(callId)) ? markCleared(step) : step));
}

function markCleared(step: WatchedStep): WatchedStep {
  return { ...step, ended: step.ended.map(({ call }) => ({ call, isCleared: true })) };
}

function recordProgress(watch: ProgressWatch, step: number): ProgressWatch {
  const { advised: _advised, ...rest } = watch;
  return { ...rest, streaksAfterStep: step, lastProgressStep: step, rungs: [] };
}

function recordDetection(
  watch: ProgressWatch,
  { rung, pattern, distinct }: PhaseEventData<'StuckDetected'>,
  step: number,
): ProgressWatch {
  if (distinct) return { ...watch, streaksAfterStep: step, advised: [...(watch.advised ?? []), pattern] };
  return { ...watch, streaksAfterStep: step, rungs: [...watch.rungs, rung] };
}
