import type { PhaseState } from '../phase/phase-state.js';
import { currentTodo } from '../todo/todo.js';
import type { StuckFinding } from './detect-stuck.js';
import type { StuckPattern } from './stuck-settings.js';

const ADVICE: Readonly<Record<StuckPattern, string>> = {
  'same-call':
    'Repeating the call will not change the result. Work with what you have, change what the call depends on, or use another tool.',
  alternation:
    'Each step undoes or repeats another one. State in one sentence what you want to achieve, and take a different step.',
  'no-news':
    'These calls have returned all they can. Work with those results, or search elsewhere, with another tool, or for something else.',
  errors:
    'Read the last error message: what is missing or wrong? Take a different, smaller step, or skip this part and note that you skipped it.',
  monologue: 'Text without a tool call has no effect. Call a tool now.',
  'no-progress':
    'Finish the todo with what you have, choose a simpler way, or note what is missing, so that the phase can continue.',
};

/** Renders the advice for the agent: what was seen, and what to do instead. If the steps did not repeat each other, they may have been necessary. */
export function renderAdvice({ pattern, explanation, isRepeating }: StuckFinding, state: PhaseState): string {
  const todo = currentTodo(state.todos.list);
  const task = todo ? ` The open todo is ${todo.id}: ${todo.content}` : '';
  const rewind = state.start.terms.tools.includes('todo_rewind')
    ? ' If the todo cannot be done as planned, call todo_rewind and explain why.'
    : '';
  if (!isRepeating)
    return `Check your approach: ${explanation}. If each of these steps was necessary, continue. Otherwise: ${ADVICE[pattern]}${task}${rewind}`;
  return `You are not making progress: ${explanation}. ${ADVICE[pattern]}${task}${rewind}`;
}

/** Describes the finding for people, and for the phase that has to revise the plan. */
export function describeStuck({ explanation }: StuckFinding, { guards: { watch }, start }: PhaseState): string {
  const nudgeCount = watch?.rungs.filter((rung) => rung === 'nudge').length ?? 0;
  const nudged =
    nudgeCount === 0 ? '' : nudgeCount === 1 ? ', even after a nudge' : `, even after ${nudgeCount} nudges`;
  return `the agent made no progress in phase ${start.identity.phase} (${start.identity.name})${nudged}: ${explanation}`;
}
