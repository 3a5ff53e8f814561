import type { PhaseState } from './phase-state.js';

/**
 * Whether the phase is that of another agent than the job's own, one that its state names. Its end is `SubagentStop`; that of a phase of
 * the job's own agent is `Stop`.
 */
export function isSubagentPhase({ start }: Pick<PhaseState, 'start'>): boolean {
  return start.identity.isSubagent ?? false;
}
