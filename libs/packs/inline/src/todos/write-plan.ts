import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun, InlineToolOutcome } from '@phaseline/tools';
import {
  checkPlan,
  checkTodosFile,
  describeObligations,
  findMissingNames,
  getDeliverablePath,
  listDemandedFiles,
  listPlannedChecks,
  MAIN_PLAN_FILE,
  readPlanProgress,
  renderPlanComplete,
  renderTodosFile,
  TODOS_FILE,
  type PhaseState,
  type TodoPlan,
} from '@phaseline/domain';
import { encodeText, readClaimTexts, type WorkspaceReader } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';
import { ToolError } from '@phaseline/contracts';

export const writePlan: ToolRun<typeof todosSpec, 'todo_write'> = async ({ state, workspace }, input) => {
  if (input.plan_complete) return writePlanComplete(state, workspace, input.todos.length);
  const { phase, description } = input;
  const todos = input.todos.map((todo, index) => ({ ...todo, id: todo.id ?? index + 1 }));
  const text = renderTodosFile({ phase, description, todos });
  const checked = checkPlan(state, text, await readClaimTexts(listPlannedChecks(text), state, workspace));
  // The gate demands these only of some agents, because a file that was written by hand may lack them.
  const missing = findMissingNames(input);
  if (!checked.ok) throw refuse([...new Set([...checked.problems, ...missing])]);
  if (missing.length > 0) throw refuse(missing);
  const dropped = await describeDropped(workspace, checked.plan);
  return {
    content: `Wrote ${todos.length} todos to ${TODOS_FILE}.${describeDemandedFiles(state, checked.plan)}${dropped}`,
    files: [{ path: TODOS_FILE, content: encodeText(text) }],
  };
};

function refuse(problems: readonly string[]): ToolError {
  return new ToolError('bad_todos', `Not written: ${problems.join(' ')}`);
}

/** Returns a sentence that says which todos are held to what the agent demands of files, because they name them. */
function describeDemandedFiles(state: PhaseState, { todos }: TodoPlan): string {
  const named = todos.flatMap((todo) => {
    const paths = [...new Set(listDemandedFiles(state, todo).map(getDeliverablePath))];
    return paths.length > 0 ? `${todo.id} (${paths.join(', ')})` : [];
  });
  if (named.length === 0) return '';
  return ` These name files of which the agent demands something, and are done only when the files are as required: ${named.join('; ')}.`;
}

async function writePlanComplete(
  { start }: PhaseState,
  workspace: WorkspaceReader,
  todos: number,
): Promise<InlineToolOutcome> {
  const reject = (message: string): never => {
    throw new ToolError('plan_not_complete', `Not written: ${message}`);
  };
  if (todos > 0) reject("'plan_complete' and 'todos' cannot be combined. Pass one of them.");
  if (!start.routes.exhausted)
    reject('this phase must end with a list of todos, or with job_complete if that tool is offered.');
  const { obligations = [] } = start.plan;
  if (obligations.length > 0)
    reject(`these todos of earlier lists are still open: ${describeObligations(obligations)}. Plan them.`);
  const { open } = readPlanProgress((await readTextIfExists(workspace, MAIN_PLAN_FILE)) ?? '');
  if (open.length > 0)
    reject(
      `${MAIN_PLAN_FILE} still has open items: ${open.slice(0, 20).join('; ')}. Plan them, or mark the finished ones.`,
    );
  return {
    content: 'All phases of the plan are finished. Complete the current todo. The final todos follow.',
    files: [{ path: TODOS_FILE, content: encodeText(renderPlanComplete()) }],
  };
}

/** Returns a sentence that names the todos which the new plan drops from the previous file, so that none is lost unnoticed. */
async function describeDropped(workspace: WorkspaceReader, plan: TodoPlan): Promise<string> {
  const before = checkTodosFile(await readTextIfExists(workspace, TODOS_FILE), { min: 0, max: Infinity });
  if (!before.ok) return '';
  const contents = new Set(plan.todos.map(({ content }) => content));
  const dropped = before.plan.todos.filter(({ content }) => !contents.has(content));
  if (dropped.length === 0) return '';
  return ` These previously planned todos are no longer in the list: ${dropped.map(({ content }) => `"${content.slice(0, 200).toWellFormed()}"`).join('; ')}. If they are still needed, write the list again with them.`;
}
