import type { NextPhase } from '../job/dispatch-phase.js';
import type { Precedent } from './precedent.js';

/**
 * Adds learning traces to a phase that is about to be dispatched. They become part of its start, so that its prompts can be rebuilt from the log
 * alone, whatever is promoted or withdrawn later.
 */
export function addPrecedents(next: NextPhase, precedents: readonly Precedent[]): NextPhase {
  if (precedents.length === 0) return next;
  const { data } = next.started;
  const plan = { ...data.plan, precedents: [...precedents] };
  return { ...next, started: { ...next.started, data: { ...data, plan } } };
}
