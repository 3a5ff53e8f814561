import { clip, toSingleLine } from '@phaseline/basics';
import { describeChecks } from '@phaseline/checks';
import {
  buildCheckInput,
  getCompletingTool,
  currentTodo,
  listBlockedTodos,
  PHASE_RETURN,
  renderPlanPlace,
  type PhaseState,
  type Todo,
} from '@phaseline/domain';

const DOUBLE_LINE = '═'.repeat(67);
const SINGLE_LINE = '─'.repeat(67);

/** Renders what the model has to do: the todo list, or the task of a phase without todos. */
export function renderTodoList(state: PhaseState): string {
  return state.start.plan.controller ? renderTask(state) : renderList(state);
}

/** Renders the task of a phase without todos, and when it is decided how the phase ends. */
function renderTask(state: PhaseState): string {
  const { controller, objective = '' } = state.start.plan;
  const demands = describeChecks(controller?.after ?? [], buildCheckInput(state, NO_TEXTS));
  return renderFrame(
    'TASK',
    state,
    [objective],
    ['NEXT: work on the task with the tools. How the phase ends is decided when this holds:', ...demands].join('\n- '),
  );
}

/** Renders the todo list: what is done, what is current, and what to do next. */
function renderList(state: PhaseState): string {
  const { start } = state;
  const todos = state.todos.list;
  const current = currentTodo(todos);
  const done = todos.filter((todo) => todo.status === 'done').length;
  const lines = todos.map((todo) => {
    const mark = todo.status === 'done' ? '[x]' : todo.blocked === undefined ? '[ ]' : '[!]';
    const note = todo.note === undefined ? '' : `\n      noted: ${clip(toSingleLine(todo.note), MAX_NOTE_CHARACTERS)}`;
    return `${mark} ${todo.id}. ${toSingleLine(todo.content)}${todo.id === current?.id ? '   ← CURRENT' : ''}${renderBlock(todo)}${note}${todo.id === current?.id ? renderDemands(state, todo) : ''}`;
  });
  const instruction = current
    ? renderNext(current, getCompletingTool(state))
    : start.plan.returns
      ? `NEXT: all todos are done. End the phase with ${PHASE_RETURN}.`
      : 'NEXT: all todos are done. Follow the instructions in the last message.';
  const progress = `Progress: ${done} of ${todos.length} done${renderBlockedCount(todos)}`;
  return renderFrame('ACTIVE TODO LIST', state, [...lines, '', progress], instruction);
}

function renderFrame(
  title: string,
  { start: { identity, plan } }: PhaseState,
  lines: readonly string[],
  instruction: string,
): string {
  return [
    DOUBLE_LINE,
    title.padStart(Math.floor((DOUBLE_LINE.length + title.length) / 2)),
    DOUBLE_LINE,
    '',
    `Phase ${identity.phase}: ${toSingleLine(identity.name)}${renderPlanPlace(plan)} (${identity.kind})`,
    '',
    ...lines,
    '',
    SINGLE_LINE,
    instruction,
    DOUBLE_LINE,
  ].join('\n');
}

function renderNext({ id, blocked }: Todo, completingTool: string): string {
  return blocked === undefined
    ? `NEXT: work on todo ${id}. When it is finished, call ${completingTool}.`
    : `NEXT: all open todos are blocked, and the phase cannot end before they are done. Try to remove what blocks todo ${id}. When it is finished, call ${completingTool}.`;
}

function renderBlock({ status, blocked }: Todo): string {
  return status === 'done' || blocked === undefined
    ? ''
    : `\n      BLOCKED: ${clip(toSingleLine(blocked), MAX_NOTE_CHARACTERS)}`;
}

function renderBlockedCount(todos: readonly Todo[]): string {
  const { length } = listBlockedTodos(todos);
  return length === 0 ? '' : `, ${length} blocked`;
}

const NO_TEXTS = new Map<string, string>();

/** What the current todo must fulfil before it is done, so that the model knows it before it claims it. */
function renderDemands(state: PhaseState, { outputs = [] }: Todo): string {
  const demands = describeChecks(outputs, buildCheckInput(state, NO_TEXTS));
  return demands.length === 0 ? '' : ['\n      It is accepted when this holds:', ...demands].join('\n      - ');
}

/** Maximum characters of a note or of a reason in the list, which is part of every prompt. Longer notes belong in files. */
const MAX_NOTE_CHARACTERS = 300;
