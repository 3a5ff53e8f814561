import { evolvePhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { canRewind, DEFAULT_MAX_REWINDS } from '../phase/rewind.js';
import { renderAdvice, describeStuck } from './render-advice.js';
import { findStuck, type StuckFinding } from './detect-stuck.js';
import { DEFAULT_STUCK_SETTINGS, type StuckRung, type StuckSettings } from './stuck-settings.js';

/**
 * Builds the events by which a stuck phase is redirected or ended; empty if it is not stuck. Call it when all calls of an
 * answer have ended and the phase would continue. After a forced rewind, decide again what follows.
 */
export function climbLadder(state: PhaseState): readonly PhaseEvent[] {
  const settings = getStuckSettings(state);
  const findings = findStuck(state.guards.watch, settings);
  const repeating = findings.find(({ isRepeating }) => isRepeating);
  if (!repeating) return buildAdvice(findings, settings, state);
  const rung = rungFor(state, settings);
  return rung ? buildRungEvents(repeating, rung, settings, state) : [];
}

/**
 * Builds the advice for steps that each ask something new. Such steps are work, even if they find nothing: the agent is
 * advised once per pattern, because a rewind or a failed phase would destroy honest work.
 */
function buildAdvice(
  findings: readonly StuckFinding[],
  { rungs }: StuckSettings,
  state: PhaseState,
): readonly PhaseEvent[] {
  const found = findings.find(({ pattern }) => !state.guards.watch.advised?.includes(pattern));
  if (!found || !rungs.includes('nudge')) return [];
  const { pattern, explanation, from, to } = found;
  const message = renderAdvice(found, state);
  const steps = { from, to };
  return [
    { type: 'StuckDetected', data: { pattern, rung: 'nudge', explanation, steps, distinct: true as const, message } },
  ];
}

export function getStuckSettings({ start }: PhaseState): StuckSettings {
  return start.terms.stuck ?? DEFAULT_STUCK_SETTINGS;
}

/** The mildest possible rung that was not tried since the last progress, or the last rung if all were tried. */
function rungFor(state: PhaseState, { rungs }: StuckSettings): StuckRung | undefined {
  const available = rungs.filter((rung) => rung !== 'rewind' || canForceRewind(state));
  return available.find((rung) => !state.guards.watch.rungs.includes(rung)) ?? available.at(-1);
}

/** Whether a rewind is possible without failing the job. If it is not, later rungs are milder. */
function canForceRewind(state: PhaseState): boolean {
  return (
    canRewind(state) && (state.start.plan.rewinds ?? 0) < (state.start.terms.limits.rewinds ?? DEFAULT_MAX_REWINDS)
  );
}

function buildRungEvents(
  found: StuckFinding,
  rung: StuckRung,
  { rungs }: StuckSettings,
  state: PhaseState,
): readonly PhaseEvent[] {
  const { pattern, explanation, from, to } = found;
  const message = rung === 'nudge' ? { message: renderAdvice(found, state) } : {};
  const detected: PhaseEvent = {
    type: 'StuckDetected',
    data: { pattern, rung, explanation, steps: { from, to }, ...message },
  };
  if (rung === 'nudge') return [detected];
  const issue = describeStuck(found, state);
  if (rung === 'rewind') return [detected, { type: 'TodosRewound', data: { issue, pattern } }];
  // Without the rung `fail`, no further attempts are made before a person is asked.
  const retryable = rungs.includes('fail');
  return [detected, { type: 'PhaseFailed', data: { code: 'stuck', message: issue, retryable } }];
}

/** The state after these events. */
export function applyEvents(state: PhaseState, facts: readonly PhaseEvent[]): PhaseState {
  return facts.reduce<PhaseState>((current, fact) => evolvePhase(current, fact), state);
}
