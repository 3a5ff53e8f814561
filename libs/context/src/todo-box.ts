import { currentTodo, type PhaseState } from '@phaseline/domain';

const WIDE = '═'.repeat(67);
const THIN = '─'.repeat(67);
const TITLE = 'ACTIVE TODO LIST';

/** The todo list as the model sees it before every call: what is done, what is current, and what to do next. */
export function todoBox(state: PhaseState): string {
  const { start, todos } = state;
  const current = currentTodo(todos);
  const done = todos.filter((todo) => todo.status === 'done').length;
  const lines = todos.map((todo) => {
    const mark = todo.status === 'done' ? '[x]' : '[ ]';
    return `${mark} ${todo.id}. ${oneLine(todo.content)}${todo.id === current?.id ? '   ← CURRENT' : ''}`;
  });
  const instruction = current
    ? `NEXT: work on todo ${current.id}. When it is really done, call todo_complete.`
    : 'NEXT: every todo is done. Follow the last message.';
  return [
    WIDE,
    TITLE.padStart(Math.floor((WIDE.length + TITLE.length) / 2)),
    WIDE,
    `Phase ${start.phase}: ${oneLine(start.name)} (${start.kind})`,
    '',
    ...lines,
    '',
    `Progress: ${done} of ${todos.length} done`,
    THIN,
    instruction,
    WIDE,
  ].join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
