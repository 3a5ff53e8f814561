import { evolvePhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { canRewind, DEFAULT_REWINDS } from '../phase/rewind.js';
import { advise, describeStuck } from './advise.js';
import { findStuck, type StuckFinding } from './detect-stuck.js';
import { DEFAULT_STUCK_SETTINGS, type StuckRung, type StuckSettings } from './stuck-settings.js';

/**
 * The facts by which a phase that goes in circles is brought back, or ended; empty for one that does not. To be asked when all
 * calls of an answer have ended and the phase would go on. After a forced rewind it is to be decided anew what follows.
 */
export function climbLadder(state: PhaseState): readonly PhaseEvent[] {
  const settings = stuckSettingsOf(state);
  const findings = findStuck(state.watch, settings);
  const circle = findings.find(({ repeats }) => repeats);
  if (!circle) return adviceOn(findings, settings, state);
  const rung = rungFor(state, settings);
  return rung ? factsOf(circle, rung, settings, state) : [];
}

/**
 * Steps that ask something of their own each time are work, even if they find nothing and however many there are. The agent is advised
 * once per pattern; a rewind or a failed phase would destroy honest work.
 */
function adviceOn(
  findings: readonly StuckFinding[],
  { rungs }: StuckSettings,
  state: PhaseState,
): readonly PhaseEvent[] {
  const found = findings.find(({ pattern }) => !state.watch?.advised?.includes(pattern));
  if (!found || !rungs.includes('nudge')) return [];
  const { pattern, evidence, from, to } = found;
  const message = advise(found, state);
  const steps = { from, to };
  return [
    { type: 'StuckDetected', data: { pattern, rung: 'nudge', evidence, steps, distinct: true as const, message } },
  ];
}

export function stuckSettingsOf({ start }: PhaseState): StuckSettings {
  return start.stuck ?? DEFAULT_STUCK_SETTINGS;
}

/** The gentlest rung that was not tried since the last progress and can be taken; the last one again where all were. */
function rungFor(state: PhaseState, { rungs }: StuckSettings): StuckRung | undefined {
  const possible = rungs.filter((rung) => rung !== 'rewind' || mayForceRewind(state));
  return possible.find((rung) => !state.watch?.rungs.includes(rung)) ?? possible.at(-1);
}

/** A rewind that the job has no room for would end it at once, and the rungs behind are kinder. */
function mayForceRewind(state: PhaseState): boolean {
  return canRewind(state) && (state.start.rewinds ?? 0) < (state.start.limits.rewinds ?? DEFAULT_REWINDS);
}

function factsOf(
  found: StuckFinding,
  rung: StuckRung,
  { rungs }: StuckSettings,
  state: PhaseState,
): readonly PhaseEvent[] {
  const { pattern, evidence, from, to } = found;
  const message = rung === 'nudge' ? { message: advise(found, state) } : {};
  const detected: PhaseEvent = {
    type: 'StuckDetected',
    data: { pattern, rung, evidence, steps: { from, to }, ...message },
  };
  if (rung === 'nudge') return [detected];
  const issue = describeStuck(found, state);
  if (rung === 'rewind') return [detected, { type: 'TodosRewound', data: { issue, pattern } }];
  // A person who has to look anyway need not wait for attempts that the agent's definition does not ask for.
  const retryable = rungs.includes('fail');
  return [detected, { type: 'PhaseFailed', data: { code: 'stuck', message: issue, retryable } }];
}

/** The state behind these facts. */
export function behind(state: PhaseState, facts: readonly PhaseEvent[]): PhaseState {
  return facts.reduce<PhaseState>((current, fact) => evolvePhase(current, fact), state);
}
