import { evolvePhase, type PhaseState } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type PhaseLog } from './streams.js';

/** Checks that no model call is made after the limits of a turn are reached, and that a phase continues the turn of the phase before it. */
export function* checkTurns(remains: RunResult): Iterable<string> {
  for (const { agent, phases } of readJobLogs(remains)) {
    let before: PhaseState | undefined;
    for (const phase of phases) {
      yield* checkPhase(agent, phase);
      yield* checkContinuation(`${agent} phase ${phase.phase}`, before, phase);
      before = phase.state;
    }
  }
}

function* checkPhase(agent: string, { phase, events }: PhaseLog): Iterable<string> {
  let state: PhaseState | undefined;
  for (const { event, recorded } of events) {
    const limits = state?.money.allowance.turn;
    if (event.type === 'ModelCallStarted' && state?.turn && limits) {
      const { number, workMs, costMicroUsd } = state.turn;
      const { max = Infinity, maxWorkMs = Infinity, softCostMicroUsd = Infinity } = limits;
      const where = `${agent} phase ${phase} version ${recorded.version}: a model call`;
      if (number > max) yield `${where} in turn ${number} of ${max}`;
      if (workMs >= maxWorkMs) yield `${where} after ${workMs} of ${maxWorkMs} ms of the turn`;
      if (costMicroUsd >= softCostMicroUsd)
        yield `${where} after ${costMicroUsd} of ${softCostMicroUsd} micro-USD of the turn`;
    }
    state = evolvePhase(state, event);
  }
}

/** A phase begins in the turn in which the phase before it ended, with what was used of it, or in a later one. */
function* checkContinuation(where: string, before: PhaseState | undefined, { events }: PhaseLog): Iterable<string> {
  const [first] = events;
  if (!before?.turn || first?.event.type !== 'PhaseStarted') return;
  const begun = first.event.data.terms.allowance?.turn;
  const { number, workMs, costMicroUsd } = before.turn;
  if (!begun) yield `${where} begins without a turn`;
  else if (begun.number < number) yield `${where} begins in turn ${begun.number}, after turn ${number}`;
  else if (begun.number === number && (begun.workMs < workMs || begun.costMicroUsd < costMicroUsd))
    yield `${where} begins with ${begun.workMs} ms and ${begun.costMicroUsd} micro-USD, after ${workMs} ms and ${costMicroUsd} micro-USD`;
}
