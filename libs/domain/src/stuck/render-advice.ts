import type { PhaseState } from '../phase/phase-state.js';
import { currentTodo } from '../todo/todo.js';
import type { StuckFinding } from './detect-stuck.js';
import type { StuckPattern } from './stuck-settings.js';

const ADVICE: Readonly<Record<StuckPattern, string>> = {
  'same-call':
    'It will not bring anything else. Work with what you have, change what the call depends on, or use another tool.',
  alternation:
    'One step undoes or repeats the other. Say in one sentence what you want to reach, and take a step that was not part of this.',
  'no-news':
    'What can be found this way is found. Work with it, or look in another place, with another tool or for another thing.',
  errors:
    'Read the last message closely: what does it say is missing or wrong? Do something else than before, in a smaller step, or leave it out and note that.',
  monologue: 'Nothing happens by words alone: use a tool now.',
  'no-progress':
    'Finish it with what is there, do it more simply, or say in its note what is missing, so that the phase can go on.',
};

/** Renders the advice for the agent: what was seen, and what to do instead. Only steps that repeat each other are called circles. */
export function renderAdvice({ pattern, evidence, isRepeating }: StuckFinding, state: PhaseState): string {
  const todo = currentTodo(state.todos);
  const task = todo ? ` The open todo is ${todo.id}: ${todo.content}` : '';
  const rewind = state.start.tools.includes('todo_rewind')
    ? ' If the todo cannot be done as it is planned, call todo_rewind and say why.'
    : '';
  if (!isRepeating)
    return `Please check your approach: ${evidence}. If each of these steps was necessary, continue. Otherwise: ${ADVICE[pattern]}${task}${rewind}`;
  return `You are going in circles: ${evidence}. ${ADVICE[pattern]}${task}${rewind}`;
}

/** Describes the finding for people, and for the phase that has to revise the plan. */
export function describeStuck({ evidence }: StuckFinding, { watch, start }: PhaseState): string {
  const nudgeCount = watch?.rungs.filter((rung) => rung === 'nudge').length ?? 0;
  const nudged =
    nudgeCount === 0
      ? ''
      : nudgeCount === 1
        ? ', also after it was told so'
        : `, also after it was told so ${nudgeCount} times`;
  return `the agent went in circles in phase ${start.phase} (${start.name})${nudged}: ${evidence}`;
}
