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
const TITLE = 'ACTIVE TODO LIST';

/** Renders the todo list for the model: what is done, what is current, and what to do next. */
export function renderTodoList(state: PhaseState): string {
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
  return [
    DOUBLE_LINE,
    TITLE.padStart(Math.floor((DOUBLE_LINE.length + TITLE.length) / 2)),
    DOUBLE_LINE,
    '',
    `Phase ${start.identity.phase}: ${toSingleLine(start.identity.name)}${renderPlanPlace(start.plan)} (${start.identity.kind})`,
    '',
    ...lines,
    '',
    `Progress: ${done} of ${todos.length} done${renderBlockedCount(todos)}`,
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
