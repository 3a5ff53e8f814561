import { isTransientFailure } from '../../stuck/classify-result.js';
import { EMPTY_WATCH, foldWatch } from '../../stuck/progress-watch.js';
import type { ProgressWatch } from '../../stuck/watched-step.js';
import type { GuardOverride } from '../../guard/guard-events.js';
import { removeOverrides } from '../../guard/current-overrides.js';
import { isRefusedByGuard } from '../../guard/guard-refusal.js';
import type { ClaimSubject } from '../discipline-events.js';
import type { PhaseEventData } from '../phase-events.js';
import { getAdmittedCall, type AdmittedCall, type PhaseCalls } from './calls.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** The last failure, and how often in a row it occurred. */
interface SameFailure {
  readonly key: string;
  readonly count: number;
  /** Set for a transient failure, such as a busy server. */
  readonly passing?: true;
}

/** What the limits of a phase are compared with, so that it cannot continue forever without progress. */
export interface PhaseGuards {
  /** Number of times that the agent stopped and was told to continue, since it last completed a todo or worked for a while without stopping. */
  readonly nudges: number;
  /** Number of steps with calls since the last nudge. */
  readonly stepsSinceNudge?: number | undefined;
  /** Number of times that a gate rejected the end of the phase. */
  readonly rejections: number;
  /** Number of refused claims in a row, by kind of claim. An accepted claim resets them. */
  readonly refusals: Readonly<Partial<Record<ClaimSubject['kind'], number>>>;
  /** Set while the last end that the phase claimed was refused by a guard. */
  readonly isEndRefusedByGuard?: true | undefined;
  /** Why the last claim was refused. */
  readonly lastRefusal?: string;
  /** Number of calls denied in a row. A call that runs resets it. */
  readonly deniedCallsInARow: number;
  readonly sameFailure?: SameFailure | undefined;
  /** The first call whose attempts were used up. */
  readonly exhausted?: { readonly name: string; readonly attempts: number; readonly message: string };
  /** Overrides of guards: those with which the phase began, and those that were recorded since. */
  readonly overrides: readonly GuardOverride[];
  /** What stuck detection remembers of the last steps. */
  readonly watch: ProgressWatch;
}

export const INITIAL_GUARDS: PhaseGuards = {
  nudges: 0,
  rejections: 0,
  refusals: {},
  deniedCallsInARow: 0,
  overrides: [],
  watch: EMPTY_WATCH,
};

/** Folds one event. `calls` are those before it, and `step` is the last step before it. */
export function foldGuards(guards: PhaseGuards, event: ChangeEvent, calls: PhaseCalls, step: number): PhaseGuards {
  const counted = foldCounts(guards, event, calls);
  const watch = foldWatch(guards.watch, event, calls, step);
  return watch === guards.watch ? counted : { ...counted, watch };
}

function foldCounts(guards: PhaseGuards, event: ChangeEvent, calls: PhaseCalls): PhaseGuards {
  switch (event.type) {
    case 'ModelResponded':
      return event.data.calls.length === 0 ? guards : countWorkSinceNudge(guards);
    case 'ToolCallRequested':
    case 'ApprovalRequested':
      return guards.deniedCallsInARow === 0 ? guards : { ...guards, deniedCallsInARow: 0 };
    case 'ToolCallDenied':
      // Nested calls are not counted: they say nothing about the model.
      if (event.data.parent !== undefined) return guards;
      return { ...guards, deniedCallsInARow: guards.deniedCallsInARow + 1 };
    case 'ToolCallCompleted':
      // A successful call ends a row of failures.
      if (!guards.sameFailure || getAdmittedCall(calls, event.data.callId).parent !== undefined) return guards;
      return { ...guards, sameFailure: undefined };
    case 'ToolCallFailed':
      return noteExhausted(
        countFailure(guards, getAdmittedCall(calls, event.data.callId), event.data),
        getAdmittedCall(calls, event.data.callId),
        event.data,
      );
    case 'TodoCompleted':
      // Progress resets the count: occasional stops in a long phase are harmless.
      return { ...guards, nudges: 0, refusals: { ...guards.refusals, todo: 0 }, sameFailure: undefined };
    case 'ClaimAccepted':
      return { ...guards, refusals: { ...guards.refusals, [event.data.subject.kind]: 0 } };
    case 'PhaseNudged':
      return { ...guards, nudges: guards.nudges + 1, stepsSinceNudge: 0 };
    case 'ClaimRefused': {
      const { subject, inARow, failures, message } = event.data;
      const refusals = { ...guards.refusals, [subject.kind]: inARow };
      const refused = { ...guards, refusals, lastRefusal: message };
      if (subject.kind !== 'phase') return refused;
      return { ...refused, isEndRefusedByGuard: isRefusedByGuard(failures) ? true : undefined };
    }
    case 'GuardOverridden':
      return { ...guards, overrides: [...guards.overrides, event.data] };
    case 'GuardOverrideRevoked':
      return { ...guards, overrides: removeOverrides(guards.overrides, event.data) };
    case 'TransitionRejected':
      return { ...guards, rejections: guards.rejections + 1 };
    default:
      return keep(guards, 'guards', event);
  }
}

/** Number of steps with calls after a nudge that reset the count of nudges. */
const STEPS_THAT_CLEAR_NUDGES = 10;

function countWorkSinceNudge(guards: PhaseGuards): PhaseGuards {
  if (guards.nudges === 0) return guards;
  const steps = (guards.stepsSinceNudge ?? 0) + 1;
  if (steps < STEPS_THAT_CLEAR_NUDGES) return { ...guards, stepsSinceNudge: steps };
  return { ...guards, nudges: 0, stepsSinceNudge: undefined };
}

function noteExhausted(
  guards: PhaseGuards,
  { name }: AdmittedCall,
  { exhausted, attempts, message }: PhaseEventData<'ToolCallFailed'>,
): PhaseGuards {
  return exhausted && !guards.exhausted ? { ...guards, exhausted: { name, attempts, message } } : guards;
}

function countFailure(
  guards: PhaseGuards,
  call: AdmittedCall,
  { code, message }: PhaseEventData<'ToolCallFailed'>,
): PhaseGuards {
  if (call.parent !== undefined) return guards;
  // Equal for calls that failed in the same way. It begins with the tool's name.
  const key = `${call.name} ${JSON.stringify([call.arguments, code, message])}`;
  const count = guards.sameFailure?.key === key ? guards.sameFailure.count + 1 : 1;
  const passing = isTransientFailure(message) ? { passing: true as const } : {};
  return { ...guards, sameFailure: { key, count, ...passing } };
}
