import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import type { CallState, PhaseState } from '../phase/phase-state.js';
import { fingerprint } from './fingerprint.js';
import { shortened, type EndedCall } from './ended-call.js';
import type { StuckPattern, StuckRung } from './stuck-settings.js';

/** One answer, and its calls that have ended. */
export interface WatchedStep {
  readonly step: number;
  /** Calls of the answer; more than `ended` while some have not. */
  readonly calls: number;
  readonly ended: readonly WatchedCall[];
}

export interface WatchedCall {
  readonly call: EndedCall;
  /** Its result was taken out of the conversation, so that asking again makes sense. */
  readonly gone?: true;
}

/**
 * What a phase remembers of its last steps, so that going in circles is seen, whatever was cleared or summarised since. The
 * fold only keeps it; what it means is worked out where a decision is due, since a log is folded far more often.
 */
export interface ProgressWatch {
  readonly steps: readonly WatchedStep[];
  /** Files that calls wrote which have not ended, by call. */
  readonly files: Readonly<Record<string, readonly number[]>>;
  /** The step behind which the streaks are counted: that of the last todo, word of a person, or rung. */
  readonly from: number;
  /** The last step at which something was achieved. */
  readonly progressAt: number;
  /** What was done about a phase that is stuck since then. */
  readonly rungs: readonly StuckRung[];
  /** The patterns about which the agent was advised since then, although its steps did not repeat each other. */
  readonly advised?: readonly StuckPattern[];
}

/** Steps that are looked back at. Longer cycles are left to the count of steps without a todo. */
export const WATCHED_STEPS = 56;

const NOTHING_SEEN: ProgressWatch = { steps: [], files: {}, from: 0, progressAt: 0, rungs: [] };

/** What a call asked for is seen in the result of that call. */
function isNested(state: PhaseState, event: PhaseEvent): boolean {
  if (event.type === 'ToolCallDenied') return event.data.parent !== undefined;
  const ends =
    event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed' || event.type === 'ApprovalRefused';
  return ends && state.calls[event.data.callId]?.parent !== undefined;
}

/** Folds one event into the watch; `state` is the phase before it. Most events change nothing. */
export function watchProgress(state: PhaseState, event: PhaseEvent): ProgressWatch | undefined {
  const watch = state.watch ?? NOTHING_SEEN;
  if (isNested(state, event)) return state.watch;
  switch (event.type) {
    case 'ModelResponded': {
      const { step, calls } = event.data;
      return {
        ...watch,
        files: {},
        steps: [...watch.steps, { step, calls: calls.length, ended: [] }].slice(-WATCHED_STEPS),
      };
    }
    case 'FileWritten':
    case 'FileDeleted': {
      const { callId, path } = event.data;
      if (callId === undefined) return state.watch;
      // What a script wrote is the work of the call that ran it.
      const owner = state.calls[callId]?.parent ?? callId;
      const file = fingerprint(`${path}\n${event.type === 'FileWritten' ? event.data.hash : ''}`);
      return { ...watch, files: { ...watch.files, [owner]: [...(watch.files[owner] ?? []), file] } };
    }
    case 'ToolCallCompleted':
      return ended(watch, state.calls[event.data.callId], event.data.content, false);
    case 'ToolCallFailed':
      return ended(watch, state.calls[event.data.callId], `${event.data.code} ${event.data.message}`, true);
    case 'ToolCallDenied': {
      const { name, code, message } = event.data;
      return withCall(watch, {
        name,
        arguments: {},
        effect: 'pure',
        content: `${code} ${message}`,
        failed: true,
        files: [],
      });
    }
    case 'ApprovalRefused':
      return ended(watch, state.calls[event.data.callId], 'refused by a person', true);
    case 'ToolResultsCleared':
      return { ...watch, steps: withoutResults(watch.steps, state, new Set(event.data.callIds)) };
    case 'ConversationSummarised':
      return { ...watch, steps: watch.steps.map(gone) };
    case 'TodoCompleted':
      return achieved(watch, state);
    case 'PhaseSteered':
      return achieved(watch, state);
    case 'StuckDetected':
      return detected(watch, state, event.data);
    default:
      return state.watch;
  }
}

function detected(
  watch: ProgressWatch,
  { spending }: PhaseState,
  { rung, pattern, distinct }: PhaseEventData<'StuckDetected'>,
): ProgressWatch {
  if (distinct) return { ...watch, from: spending.steps, advised: [...(watch.advised ?? []), pattern] };
  return { ...watch, from: spending.steps, rungs: [...watch.rungs, rung] };
}

function achieved(watch: ProgressWatch, { spending }: PhaseState): ProgressWatch {
  const { advised: _advised, ...rest } = watch;
  return { ...rest, from: spending.steps, progressAt: spending.steps, rungs: [] };
}

function ended(watch: ProgressWatch, call: CallState | undefined, content: string, failed: boolean): ProgressWatch {
  if (!call) return watch;
  const { callId, name, effect } = call;
  return withCall(watch, {
    name,
    arguments: call.arguments,
    effect,
    content,
    failed,
    files: watch.files[callId] ?? [],
  });
}

function withCall(watch: ProgressWatch, call: EndedCall): ProgressWatch {
  const last = watch.steps.at(-1);
  if (!last) return watch;
  const ended = [...last.ended, { call: shortened(call) }];
  return { ...watch, steps: watch.steps.with(-1, { ...last, ended }) };
}

/** A result that the model cannot see any more may be asked for again. Its step is known by the answer that holds the call. */
function withoutResults(
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
  return steps.map((step) => (cleared.has(step.step) ? gone(step) : step));
}

function gone(step: WatchedStep): WatchedStep {
  return { ...step, ended: step.ended.map(({ call }) => ({ call, gone: true })) };
}
