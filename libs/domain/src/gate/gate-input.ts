import type { ClaimTexts } from '../claim/claim-input.js';

/** What the gates need in addition to the state. */
export interface GateInput {
  /** Current text of `todos.yaml`; `undefined` if it does not exist. */
  readonly todosFile: string | undefined;
  /** Text of `main_plan.md`, if a gate or an outcome needs it. */
  readonly mainPlan?: string | undefined;
  /** Paths of blank deliverables, if the gate `deliverables` is checked. */
  readonly blankFiles?: readonly string[];
  /** Texts that the checks of the pending outcome and of the plan read, by content hash. */
  readonly claimTexts?: ClaimTexts;
}
