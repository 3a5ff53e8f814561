import { clip } from '@phaseline/basics';
import { evaluateChecks, type Check } from '@phaseline/checks';
import type { ToolSpec } from '@phaseline/contracts';
import { buildCheckInput, type ClaimTexts } from '../claim/claim-input.js';
import { renderFailures } from '../claim/render-failures.js';
import type { Advance } from './advance.js';
import type { PhaseEvent } from './phase-events.js';
import { buildPhaseFailed } from './phase-failed.js';
import { listCalls, type PhaseState } from './phase-state.js';
import { rejectEnd } from './reject-end.js';
import { isOpenCall, type AdmittedCall } from './state/calls.js';

/**
 * Decides how a phase with a controller continues that has reached no outcome. `undefined`: the model has to work on, because the
 * controller does not decide yet.
 */
export function advanceControlled(state: PhaseState, texts: ClaimTexts): Advance | undefined {
  const { controller } = state.start.plan;
  if (!controller) return undefined;
  const decision = findLastDecision(state, controller.tool);
  if (decision) return followDecision(state, decision);
  return findMissingWork(state, texts) === undefined ? { events: [], next: 'decide' } : undefined;
}

/** Whether a model works in the phase. Otherwise, the controller alone decides how it ends. */
export function callsModel({ start: { plan } }: PhaseState): boolean {
  return plan.controller === undefined || plan.controller.after !== undefined;
}

/** What the model still has to do before the controller decides; `undefined` if nothing is missing, or the phase has no controller. */
export function findMissingWork(state: PhaseState, texts: ClaimTexts): string | undefined {
  const result = evaluateChecks(listPreparingChecks(state), buildCheckInput(state, texts));
  return result.kind === 'fails' ? renderFailures(result.failures) : undefined;
}

/** The checks that hold before the controller decides. */
export function listPreparingChecks({ start: { plan } }: PhaseState): readonly Check[] {
  return plan.controller?.after ?? [];
}

/** The call by which the controller decided since the last answer of the model. */
function findLastDecision(state: PhaseState, tool: string): AdmittedCall | undefined {
  const decisions = listCalls(state).filter(
    (call): call is AdmittedCall => call.status !== 'denied' && call.name === tool && call.traits.includes('system'),
  );
  return decisions.filter((call) => !isOpenCall(call)).at(-1);
}

/** A decision that names no outcome tells the model what to change. */
function followDecision(state: PhaseState, { callId, name, result = '' }: AdmittedCall): Advance {
  const record = state.work.calls.find((call) => call.callId === callId);
  const outcome = record?.result?.['outcome'];
  if (record?.outcome !== 'completed')
    return fail(`${name}, which decides how the phase ends, failed: ${clip(result, 500)}`, true);
  if (typeof outcome === 'string')
    return fail(`${name} decided for the outcome ${clip(outcome, 64)}, which the state does not have`, false);
  if (!callsModel(state)) return fail(`${name} did not decide how the phase ends`, false);
  return rejectEnd(state, [
    { type: 'TransitionRejected', data: { gate: 'controller', outcome: '', message: clip(result, 4_000) } },
  ]);
}

function fail(message: string, retryable: boolean): Advance {
  return { events: [buildPhaseFailed('controller_failed', message, retryable)], next: 'ended' };
}

/** Builds the call by which the controller of the phase decides. `spec` is that of its tool; without one, the phase cannot end. */
export function requestDecision(state: PhaseState, spec: ToolSpec | undefined): PhaseEvent {
  const { controller } = state.start.plan;
  if (!controller) throw new Error('the phase has no controller');
  if (!spec?.traits.includes('system'))
    return buildPhaseFailed('definition_missing', `no pack has a controller named ${controller.tool}`, false);
  const { lane, effect, timeoutMs, traits } = spec;
  const decisions = state.work.calls.filter(({ name }) => name === controller.tool).length;
  return {
    type: 'ToolCallRequested',
    data: {
      callId: `decision_${state.start.identity.phase}_${decisions + 1}`,
      step: Math.max(1, state.money.spending.steps),
      name: controller.tool,
      arguments: controller.arguments,
      ...{ lane, effect, timeoutMs },
      traits: [...traits],
    },
  };
}
