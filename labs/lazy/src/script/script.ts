import type { Answer, Call } from './call.js';

/** An answer that may depend on the number of the phase. */
export type Answers = readonly (Answer | ((phase: number) => Answer))[];

/** A todo as the model plans it. `outputs` are paths or checks. */
export interface PlannedTodo {
  readonly content: string;
  readonly outputs?: readonly unknown[];
  readonly covers?: readonly string[];
}

/** A phase of work: what the model plans, and what it answers in that phase. Its last answer is repeated if the phase does not end. */
export interface PlannedPhase {
  readonly name: string;
  readonly todos: readonly PlannedTodo[];
  readonly work: Answers;
}

/** What a model answers in each state of the shipped workflow. */
export interface Script {
  /** The planning state, before the plan of the first phase is written. */
  readonly explore: Answers;
  readonly phases: readonly PlannedPhase[];
  /** The reviewing state after each phase, before the next plan is written. */
  readonly review: Answers;
  readonly conclude: Answers;
}

export function writePlan({ name, todos }: PlannedPhase): Call {
  return ['todo_write', { phase: name, description: `${name}: create what the todos name.`, todos }];
}

/** Replaces the work of the only phase. */
export const replaceWork = (script: Script, ...work: readonly Answer[]): Script => ({
  ...script,
  phases: [{ ...script.phases[0]!, work }],
});

/** Replaces the plan and the work of the only phase. */
export const replacePlan = (script: Script, todos: readonly PlannedTodo[], ...work: readonly Answer[]): Script => ({
  ...script,
  phases: [{ ...script.phases[0]!, todos, work }],
});
