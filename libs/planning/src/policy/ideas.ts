import { assertNever } from '@phaseline/basics';
import type { ConfidenceBand } from '../confidence/confidence-band.js';
import type { InteractionPolicy } from './interaction-policy.js';

/** Talkativeness below which two options suffice. */
const FEW_OPTIONS_TALKATIVENESS = 0.5;

/** Whether the tool Brainstormer is offered. The states in which it can be offered at all are those of the workflow. */
export function isBrainstormerOffered(
  preference: InteractionPolicy['brainstormingPreference'],
  moment: { readonly isOutlineStage: boolean; readonly hasPersonAsked: boolean; readonly band: ConfidenceBand },
): boolean {
  if (moment.hasPersonAsked) return true;
  switch (preference) {
    case 'on_demand':
      return false;
    case 'suggest_when_uncertain':
      return moment.band === 'retry';
    case 'always_offer':
      // Who always wants ideas also wants them when the planner is uncertain, in any stage.
      return moment.isOutlineStage || moment.band === 'retry';
    default:
      return assertNever(preference);
  }
}

/** Number of options that OptionCrafter makes: 2 for concise or taciturn conversations, otherwise 3. */
export function countOptions({
  conversationStyle,
  talkativeness,
}: Pick<InteractionPolicy, 'conversationStyle' | 'talkativeness'>): 2 | 3 {
  return conversationStyle === 'concise' || talkativeness < FEW_OPTIONS_TALKATIVENESS ? 2 : 3;
}
