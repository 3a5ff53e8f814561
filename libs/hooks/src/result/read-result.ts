import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { HookPoint } from '@phaseline/domain';
import { deniesOnFailure, pointRules } from '../protocol/hook-event.js';
import type { OnFailure } from '../settings/hook-handler.js';
import { readStdout, type HookAnswer, type SpecificAnswer } from './hook-answer.js';

/** How the process of a hook ended. */
export type HookEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  /** It did not start, took too long, exceeded another limit, or was ended by a signal. Its output is not read. */
  | { readonly kind: 'failed'; readonly failure: HookFailure };

/** Why a hook did not decide. */
export interface HookFailure {
  readonly code: 'hook_not_started' | 'hook_limit_exceeded' | 'hook_killed' | 'hook_exit_code' | 'hook_answer_invalid';
  readonly message: string;
}

/** What a hook decided. */
export interface HookOutcome {
  /** `none`: it has no objection and grants nothing. */
  readonly decision: 'none' | 'allow' | 'ask' | 'deny';
  readonly reason?: string;
  /** The whole input that replaces the one of the call, in the shape of the protocol. */
  readonly updatedInput?: JsonObject;
  /** Replaces the result of the call, in the shape of the tool. */
  readonly updatedOutput?: JsonValue;
  /** Texts for the model. */
  readonly context: readonly string[];
  /** A text for people. */
  readonly message?: string;
  /** Why everything is to be stopped; wins over all other decisions. */
  readonly stop?: string;
  /** Why the hook failed. The decision is then that of its `onFailure`. */
  readonly failure?: HookFailure;
}

interface Terms {
  readonly point: HookPoint;
  readonly onFailure: OnFailure;
  /** Only observes: no decision is read. */
  readonly observes?: boolean;
}

const NO_REASON = 'The guard gave no reason.';
const STOPPED = 'The guard stops the work.';
/** Exit code with which a hook blocks. */
const BLOCKS = 2;

/** Reads what a hook decided from the end of its process, in the order of the protocol. Never throws. */
export function readHookResult({ point, onFailure, observes = false }: Terms, end: HookEnd): HookOutcome {
  if (observes) return { decision: 'none', context: [] };
  const fail = (failure: HookFailure, message = ''): HookOutcome => ({
    ...(deniesOnFailure({ point, onFailure })
      ? { decision: 'deny', reason: `The guard failed, and nothing is allowed then: ${failure.message}` }
      : { decision: 'none' }),
    context: [],
    failure,
    ...(message === '' ? {} : { message }),
  });
  if (end.kind === 'failed') return fail(end.failure);
  const { exitCode } = end;
  const stderr = end.stderr.trim();
  const stdout = readStdout(point, end.stdout);
  const answer = stdout.kind === 'answer' ? stdout.answer : undefined;
  if (answer?.async === true) return { decision: 'none', context: [] };
  if (exitCode === BLOCKS) return readBlock(point, answer, stderr);
  if (answer) return readAnswer(point, answer);
  if (stdout.kind === 'unreadable' && (stdout.isJson || exitCode === 0)) {
    const problem = stdout.isJson
      ? `its answer does not have the shape of the protocol (${stdout.problem})`
      : `its answer is not valid JSON (${stdout.problem})`;
    const failed = fail({ code: 'hook_answer_invalid', message: problem }, stderr);
    // The protocol reads JSON that is not valid as text.
    return onFailure === 'continue' && !stdout.isJson
      ? { ...failed, context: readContext(point, stdout.text) }
      : failed;
  }
  if (exitCode !== 0) return fail({ code: 'hook_exit_code', message: `it ended with exit code ${exitCode}` }, stderr);
  return { decision: 'none', context: readContext(point, stdout.kind === 'text' ? stdout.text : '') };
}

function readContext(point: HookPoint, text: string): readonly string[] {
  return pointRules[point].readsPlainText && text !== '' ? [text] : [];
}

/** Exit code 2. It blocks where the event can be blocked, also against an answer that allows. */
function readBlock(point: HookPoint, answer: HookAnswer | undefined, stderr: string): HookOutcome {
  const read: HookOutcome = answer ? readAnswer(point, answer) : { decision: 'none', context: [] };
  switch (pointRules[point].exit2) {
    case 'block': {
      const own = answer && findBlockReason(point, answer);
      const { updatedInput: _dropped, stop, ...rest } = read;
      const reason = own ?? (stderr === '' ? NO_REASON : stderr);
      // An end that is blocked is not accepted by a stop.
      return { ...rest, decision: 'deny', reason, ...(stop === undefined || isEndOfPhase(point) ? {} : { stop }) };
    }
    case 'model':
      return stderr === '' ? read : { ...read, context: [...read.context, stderr] };
    case 'people':
      return stderr === '' ? read : { ...read, message: read.message ?? stderr };
    case 'nothing':
      return read;
  }
}

/** Reads an answer whatever the exit code was. */
function readAnswer(point: HookPoint, answer: HookAnswer): HookOutcome {
  const { canDeny, readsContext } = pointRules[point];
  const specific = answer.hookSpecificOutput ?? {};
  const context = readsContext && specific.additionalContext ? [specific.additionalContext] : [];
  const common = answer.systemMessage === undefined ? {} : { message: answer.systemMessage };
  if (answer.continue === false) {
    const stop = answer.stopReason ?? STOPPED;
    // At the end of a phase, to stop means that the end is accepted.
    const denies = canDeny && !isEndOfPhase(point);
    return { ...common, ...(denies ? { decision: 'deny', reason: stop } : { decision: 'none' }), context, stop };
  }
  switch (point) {
    case 'PreToolUse':
      return { ...common, ...readPermission(answer, specific), context };
    case 'PermissionRequest':
      return { ...common, ...readRequest(specific), context };
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const feedback = answer.decision === 'block' ? [answer.reason ?? NO_REASON] : [];
      const updated = specific.updatedToolOutput ?? specific.updatedMCPToolOutput;
      return {
        ...common,
        decision: 'none',
        context: [...feedback, ...context],
        ...(updated === undefined || point !== 'PostToolUse' ? {} : { updatedOutput: updated }),
      };
    }
    default: {
      const reason = canDeny ? findBlockReason(point, answer) : undefined;
      return { ...common, ...(reason === undefined ? { decision: 'none' } : { decision: 'deny', reason }), context };
    }
  }
}

function readPermission(
  answer: HookAnswer,
  { permissionDecision, permissionDecisionReason, updatedInput }: SpecificAnswer,
): Pick<HookOutcome, 'decision' | 'reason' | 'updatedInput'> {
  // The older members mean the same. Where both are present, the stricter one counts.
  if (permissionDecision === 'deny' || answer.decision === 'block')
    return { decision: 'deny', reason: permissionDecisionReason ?? answer.reason ?? NO_REASON };
  const reason = permissionDecisionReason ?? answer.reason;
  const terms = {
    ...(reason === undefined ? {} : { reason }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
  // A deferred call waits, as one that a person is asked about.
  if (permissionDecision === 'ask' || permissionDecision === 'defer') return { decision: 'ask', ...terms };
  return { decision: permissionDecision === 'allow' || answer.decision === 'approve' ? 'allow' : 'none', ...terms };
}

function readRequest({ decision }: SpecificAnswer): Pick<HookOutcome, 'decision' | 'reason' | 'updatedInput' | 'stop'> {
  if (decision === undefined || decision === 'block') return { decision: 'none' };
  if (decision.behavior === 'allow') {
    const { updatedInput } = decision;
    return { decision: 'allow', ...(updatedInput === undefined ? {} : { updatedInput }) };
  }
  const reason = decision.message ?? NO_REASON;
  return { decision: 'deny', reason, ...(decision.interrupt === true ? { stop: reason } : {}) };
}

/** Returns the reason of an answer that blocks; `undefined` if it does not. */
function findBlockReason(point: HookPoint, answer: HookAnswer): string | undefined {
  const specific = answer.hookSpecificOutput ?? {};
  if (specific.permissionDecision === 'deny') return specific.permissionDecisionReason ?? answer.reason;
  if (answer.decision === 'block' && pointRules[point].readsBlock) return answer.reason ?? NO_REASON;
  return isEndOfPhase(point) && specific.decision === 'block' ? (specific.reason ?? NO_REASON) : undefined;
}

function isEndOfPhase(point: HookPoint): boolean {
  return point === 'Stop' || point === 'SubagentStop';
}
