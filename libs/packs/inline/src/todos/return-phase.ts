import type { JsonObject } from '@phaseline/basics';
import { countTokens, findUnreturned } from '@phaseline/context';
import { ToolError } from '@phaseline/contracts';
import { findReturnProblem, isEarlyReturn, openTodos } from '@phaseline/domain';
import type { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { requireNotBlocked } from './block-todo.js';
import { claimTodo } from './claim-todo.js';
import { buildTodoCompleted } from './complete-todo.js';
import { requireNotRewound } from './rewind-list.js';

/**
 * Returns the result of the phase, which ends it if its checks hold. Completes the last todo if it is still open, which needs its own work:
 * a return is no work.
 */
export const returnPhase: ToolRun<typeof todosSpec, 'phase_return'> = async (context, input) => {
  const { state, callId } = context;
  requireNotRewound(state);
  if (state.todos.returned)
    throw new ToolError('already_returned', 'Not executed: an earlier call returned the result.');
  const result: JsonObject = input.result;
  const returned = { ...(input.outcome === undefined ? {} : { outcome: input.outcome }), result };
  const tokens = countResult(state, JSON.stringify(result));
  const problem = findReturnProblem(state, returned, tokens);
  if (problem !== undefined) throw new ToolError('return_refused', `Not returned: ${problem}`);
  requireKeptItems(state, result, input.settled);
  const open = openTodos(state.todos.list);
  const [last] = open.length === 1 ? open : [];
  const isEarly = isEarlyReturn(state, input.outcome);
  if (!isEarly) requireNotBlocked(state);
  const claim = last && !isEarly ? await claimTodo(context, last) : undefined;
  if (claim && 'unsettled' in claim) return claim.unsettled;
  const done = last && claim ? [...claim.accepted, buildTodoCompleted(last, callId, claim.evidence)] : [];
  return {
    content: 'The result is being checked.',
    events: [...done, { type: 'PhaseReturned', data: { callId, ...returned, tokens } }],
  };
};

/** Throws ToolError `return_refused` unless the result names what the summaries of the phase list as decided and as not working. */
function requireKeptItems(state: State, result: JsonObject, settled: readonly string[]): void {
  const missing = findUnreturned(state, result, settled);
  if (missing.length === 0) return;
  throw new ToolError(
    'return_refused',
    `Not returned: your summary lists what the result does not say. Add each of these to the result word for word, or to 'settled' if it no longer holds or is resolved:\n${missing.map((item) => `- ${item}`).join('\n')}`,
  );
}

/** More characters than a token has in a text that is worth reading. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/** Counts the tokens of a result. Throws ToolError `return_refused` for one that is far too long, because counting takes time and memory. */
function countResult({ start }: State, text: string): number {
  const { maxTokens = 0 } = start.plan.returns ?? {};
  if (text.length <= maxTokens * MAX_CHARACTERS_PER_TOKEN) return countTokens(text);
  throw new ToolError(
    'return_refused',
    `Not returned: The result has ${text.length} characters; at most ${maxTokens} tokens are allowed. Write details to a file and name the file.`,
  );
}

type State = Parameters<typeof returnPhase>[0]['state'];
