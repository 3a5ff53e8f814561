import { completingTool, currentTodo, type PhaseState } from '@phaseline/domain';

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
    const note = todo.note === undefined ? '' : `\n      noted: ${clipped(oneLine(todo.note))}`;
    return `${mark} ${todo.id}. ${oneLine(todo.content)}${todo.id === current?.id ? '   ← CURRENT' : ''}${note}`;
  });
  const instruction = current
    ? `NEXT: work on todo ${current.id}. When it is really done, call ${completingTool(state)}.`
    : 'NEXT: every todo is done. Follow the last message.';
  return [
    WIDE,
    TITLE.padStart(Math.floor((WIDE.length + TITLE.length) / 2)),
    WIDE,
    '',
    `Phase ${start.phase}: ${oneLine(start.name)} (${start.kind})`,
    '',
    ...lines,
    '',
    `Progress: ${done} of ${todos.length} done`,
    '',
    THIN,
    instruction,
    WIDE,
  ].join('\n');
}

/** Longer notes belong into files; the list stands before every call. */
const NOTE_CHARACTERS = 300;

function clipped(note: string): string {
  return note.length > NOTE_CHARACTERS ? `${note.slice(0, NOTE_CHARACTERS).toWellFormed()}…` : note;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
