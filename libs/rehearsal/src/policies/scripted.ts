import {
  RehearsalFailure,
  type RehearsalAnswer,
  type RehearsalPolicy,
  type RehearsalRequest,
} from '../rehearsal-policy.js';

export type ScriptedTurn = RehearsalAnswer | ((request: RehearsalRequest) => RehearsalAnswer);

/**
 * Creates a policy that plays a list of answers: turn n goes to a conversation that already holds n answers.
 *
 * @param matches Selects the conversations to play. Defaults to all.
 */
export function createScriptedPolicy(
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
        throw new RehearsalFailure(`the script has ${turns.length} turns, but turn ${turn + 1} was requested`);
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}
