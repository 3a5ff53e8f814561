import type { JsonObject } from '@phaseline/basics';
import type { GuardDecisionKind } from '@phaseline/domain';
import { readUpdatedInput } from '../tools/read-input.js';
import { readUpdatedOutput } from '../tools/show-response.js';
import type { CallSurroundings, OwnCall } from '../tools/tool-call.js';
import type { HookFailure, HookOutcome } from './read-result.js';

/** What a hook decided, in the terms of guards. */
export interface HookDecision {
  readonly decision: GuardDecisionKind;
  readonly reason?: string;
  /** All arguments of the call, for `amend`, and for `ask` about other arguments; `{content}` with the text that replaces a result. */
  readonly amended?: JsonObject;
  /** A text for the model. */
  readonly context?: string;
  /** A text for people. */
  readonly message?: string;
  /** Why the phase is to be stopped. */
  readonly stop?: string;
  readonly failure?: HookFailure;
}

/**
 * Turns the outcome of a hook into a decision of a guard. `about` is the call that the hook was asked about, at the points that have one. An
 * amendment that our tool cannot have denies the call and names the member. Returns `undefined` for a hook that has nothing to say.
 */
export function toGuardDecision(
  outcome: HookOutcome,
  about?: { readonly call: OwnCall; readonly surroundings: CallSurroundings },
): HookDecision | undefined {
  const { decision, reason, updatedInput, updatedOutput, context, message, stop, failure } = outcome;
  const more = {
    ...(context.length === 0 ? {} : { context: context.join('\n\n') }),
    ...(message === undefined ? {} : { message }),
    ...(stop === undefined ? {} : { stop }),
    ...(failure === undefined ? {} : { failure }),
  };
  const given = { ...(reason === undefined ? {} : { reason }), ...more };
  if (decision === 'deny') return { decision, ...given };
  if (updatedOutput !== undefined)
    return { decision: 'amend', ...given, amended: { content: readUpdatedOutput(updatedOutput) } };
  if (updatedInput !== undefined && about) {
    const read = readUpdatedInput(about.call, updatedInput, about.surroundings);
    if ('problem' in read)
      return {
        decision: 'deny',
        ...more,
        reason: `The guard changes the call, which cannot be done: ${read.problem}.`,
      };
    return { decision: decision === 'ask' ? 'ask' : 'amend', ...given, amended: read.args };
  }
  if (decision !== 'none') return { decision, ...given };
  if (context.length > 0) return { decision: 'context', ...given };
  return Object.keys(more).length > 0 ? { decision: 'allow', ...given } : undefined;
}
