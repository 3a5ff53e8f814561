import { type Check, type CheckFailure, type CheckResult, evaluateChecks } from '@phaseline/checks';
import { listDeliverableChecks } from '../agent/deliverable.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { getReturningTool } from '../return/return-settings.js';
import { buildCheckInput, type ClaimTexts } from './claim-input.js';
import { findOpenClaim, readRunOutcomes } from './claim-runs.js';
import { renderFailures } from './render-failures.js';

type Outcome = NonNullable<PhaseState['start']['routes']['finish']>;

/** The checks that an end of the phase must pass in addition to its gates: those that chose the outcome, its own, and those of the deliverables. */
export function listPhaseChecks({ start }: PhaseState, { gates, when = [], checks = [] }: Outcome): readonly Check[] {
  if (!gates.includes('deliverables')) return [...when, ...checks];
  return [...when, ...checks, ...start.plan.deliverables.flatMap(listDeliverableChecks)];
}

/** Decides whether the phase may end with the outcome. `texts` are those that `listNeededTexts` names. */
export function evaluatePhaseClaim(state: PhaseState, outcome: Outcome, texts: ClaimTexts): CheckResult {
  const runs = readRunOutcomes(state, findOpenClaim(state));
  return evaluateChecks(listPhaseChecks(state, outcome), buildCheckInput(state, texts, runs));
}

/**
 * Builds the events of a refused end: the refusal, and the rejection that follows from it and opens the last todo again. `why` tells the
 * model what is missing.
 */
export function buildPhaseRefusal(
  state: PhaseState,
  { outcome }: Pick<Outcome, 'outcome'>,
  failures: readonly CheckFailure[],
  why = renderFailures(failures),
): readonly PhaseEvent[] {
  const message = `The phase cannot end as ${outcome}: ${why}\nDo what is missing, then ${state.start.plan.returns ? `call ${getReturningTool(state.start.plan.listing !== undefined)}` : 'complete the last todo'} again.`;
  const { guards, version } = state;
  const open = findOpenClaim(state);
  const inARow = (guards.refusals.phase ?? 0) + 1;
  const subject = { kind: 'phase' as const, outcome };
  return [
    {
      type: 'ClaimRefused',
      data: { ...(open ? { claim: open.claim } : {}), subject, failures: [...failures], message, inARow },
    },
    { type: 'TransitionRejected', data: { gate: 'checks', outcome, message, refusedAt: version + 1 } },
  ];
}
