import { countTokens } from '@phaseline/context';
import { ToolError } from '@phaseline/contracts';
import {
  findDeviations,
  findItemProblems,
  findReturnProblem,
  INPUT_LIST,
  openTodos,
  readInputList,
  SUBMIT_FEATURES,
  toItems,
  type InputList,
  type Item,
  type StoredItem,
} from '@phaseline/domain';
import { featuresSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolRun } from '@phaseline/tools';
import { readTextIfExists } from '../read-text-if-exists.js';
import { requireNotBlocked } from '../todos/block-todo.js';
import { claimTodo } from '../todos/claim-todo.js';
import { buildTodoCompleted } from '../todos/complete-todo.js';

/** Maximum number of problems of a list that the model is told about. */
const MAX_PROBLEMS = 20;

/**
 * Hands in the features and returns the result of the phase, which ends it if its checks hold. A list with problems is refused and counted:
 * an agent that cannot write a list in two attempts does not find out in more.
 */
const submitFeatures: ToolRun<typeof featuresSpec, typeof SUBMIT_FEATURES> = async (context, input) => {
  const { state, callId } = context;
  if (!state.start.plan.listing)
    throw new ToolError('not_listing', 'Not handed in: this phase does not end with a list of features.');
  if (state.todos.returned)
    throw new ToolError('already_returned', 'Not executed: an earlier call returned the result.');
  const open = openTodos(state.todos.list);
  if (open.length > 1)
    throw new ToolError(
      'todos_open',
      `Not handed in: ${open.length} todos are open. Complete them first. Current: ${open[0]!.id}. ${open[0]!.content}`,
    );
  const text = await readTextIfExists(context.workspace, INPUT_LIST);
  const listed = text === undefined ? undefined : readInputList(text);
  if (!listed && !input.features)
    throw new ToolError('features_missing', `Not handed in: pass 'features'. This job came without ${INPUT_LIST}.`);
  const { features, deviations } = compareWithInput(listed, input.features);
  const problems = [...deviations, ...findItemProblems(state, features)].slice(0, MAX_PROBLEMS);
  if (problems.length > 0) {
    const count = (state.todos.refusedLists ?? 0) + 1;
    const message = `The list is refused: ${problems.join('; ')}. Correct it and hand it in once more. A second refusal ends the job.`;
    return {
      content: '',
      failure: { code: 'features_refused', message },
      events: [{ type: 'ItemsRefused', data: { callId, problems: [...problems], count } }],
    };
  }
  const { setup, next_steps } = input;
  const result = { features: features.map(({ id }) => id), setup, next_steps };
  const tokens = countTokens(JSON.stringify(result));
  const problem = findReturnProblem(state, { result }, tokens);
  if (problem !== undefined) throw new ToolError('return_refused', `Not handed in: ${problem}`);
  requireNotBlocked(state);
  const [last] = open;
  const claim = last && (await claimTodo(context, last));
  if (claim && 'unsettled' in claim) return claim.unsettled;
  const done = last && claim ? [...claim.accepted, buildTodoCompleted(last, callId, claim.evidence)] : [];
  // The schema of the tool has checked the members, which an event holds as plain JSON.
  const items = features as unknown as StoredItem[];
  return {
    content: `${features.length} features were handed in. The result is being checked.`,
    events: [
      ...done,
      { type: 'ItemsSubmitted', data: { callId, items } },
      { type: 'PhaseReturned', data: { callId, result, tokens } },
    ],
  };
};

/** The features to hand in, by default those that came with the job, and what they lack or change of these. */
function compareWithInput(
  listed: InputList | undefined,
  given: readonly Item[] | undefined,
): { readonly features: readonly Item[]; readonly deviations: readonly string[] } {
  if (!listed) return { features: given ?? [], deviations: [] };
  if ('problem' in listed) return { features: given ?? [], deviations: [listed.problem] };
  const features = given ?? toItems(listed.items);
  return { features, deviations: findDeviations(listed.items, features) };
}

/** Tool that hands in the items of a loop. */
export const featuresPack = implementPack(featuresSpec, { [SUBMIT_FEATURES]: submitFeatures });
