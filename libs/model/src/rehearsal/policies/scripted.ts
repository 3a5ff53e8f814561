import {
  RehearsalFailure,
  type RehearsalAnswer,
  type RehearsalPolicy,
  type RehearsalRequest,
} from '../rehearsal-policy.js';

export type ScriptedTurn = RehearsalAnswer | ((request: RehearsalRequest) => RehearsalAnswer);

/**
 * Plays a list of answers: the n-th to a conversation that holds n answers already.
 *
 * @param matches Which conversations it plays; all when absent.
 */
export function scripted(
  turns: readonly ScriptedTurn[],
  matches: RehearsalPolicy['matches'] = () => true,
): RehearsalPolicy {
  return {
    name: 'scripted',
    matches,
    answer(request) {
      const turn = request.messages.filter((message) => message.role === 'assistant').length;
      const answer = turns[turn];
      if (!answer)
        throw new RehearsalFailure(`the script has ${turns.length} turns, and turn ${turn + 1} was asked for`);
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}
