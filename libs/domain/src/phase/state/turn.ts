import { addToTurn, startNextTurn, type Turn, type TurnAllowance } from '../../budget/turn.js';
import { EXPIRY_ACTOR } from '../expiry-actor.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** The turn in which a phase begins; none if its agent has no limits of turns. */
export function startTurn(allowance: TurnAllowance | undefined): { readonly turn?: Turn } {
  if (!allowance) return {};
  const { number, workMs, costMicroUsd } = allowance;
  return { turn: { number, workMs, costMicroUsd } };
}

export function foldTurn(turn: Turn, event: ChangeEvent): Turn {
  switch (event.type) {
    case 'QuestionAnswered':
    case 'ApprovalGranted':
    case 'PhaseSteered':
      return startNextTurn(turn);
    case 'ApprovalRefused':
      return event.data.actor === EXPIRY_ACTOR ? turn : startNextTurn(turn);
    case 'ModelCallFailed':
      return addToTurn(turn, event.data.durationMs ?? 0);
    case 'ModelResponded':
    case 'ConversationSummarised':
    case 'JudgeEnded':
    case 'ReflectionRecorded':
      return addToTurn(turn, event.data.durationMs, event.data.costMicroUsd);
    case 'ToolCallCompleted':
    case 'ToolCallFailed':
      return addToTurn(turn, event.data.durationMs);
    default:
      return keep(turn, 'turn', event);
  }
}
