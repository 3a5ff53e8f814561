import type { Guard } from './guard.js';

/** The guards that apply to phases of a workflow. */
export function selectGuards(guards: readonly Guard[], workflow: string): readonly Guard[] {
  return guards.filter(({ workflows }) => workflows === undefined || workflows.includes(workflow));
}
