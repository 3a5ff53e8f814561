import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { currentTodo } from '../todo/todo.js';
import type { experienceKinds } from './experience-events.js';
import { addItem, toItemText } from './markdown-list.js';

/** File in which the agent notes what failed and what it learned. */
export const EXPERIENCES_FILE = 'experiences.md';

export type ExperienceKind = (typeof experienceKinds)[number];

/** Section headings in experiences.md. */
const experienceHeadings: Readonly<Record<ExperienceKind, string>> = {
  failed: 'Failed approaches',
  lesson: 'Lessons learned',
  works: 'Patterns that work',
};

export interface Experience {
  readonly kind: ExperienceKind;
  /** One line of at most `MAX_EXPERIENCE_CHARACTERS` characters. */
  readonly text: string;
}

/** Maximum characters of one experience. */
export const MAX_EXPERIENCE_CHARACTERS = 500;
/** Maximum characters of the file. Nothing is added to a longer file until someone shortens it. */
const MAX_FILE_CHARACTERS = 64_000;

/**
 * Adds an experience to the file and returns both. `undefined` if the experience is already there, is empty, or does not
 * fit.
 */
export function addExperience(
  file: string | undefined,
  { kind, text }: Experience,
): { readonly file: string; readonly noted: Experience } | undefined {
  const item = toItemText(text, MAX_EXPERIENCE_CHARACTERS);
  const before = file ?? '';
  if (item === '' || before.split(/\r?\n/).includes(`- ${item}`)) return undefined;
  if (before.length + item.length > MAX_FILE_CHARACTERS) return undefined;
  const begun = before.trim() === '' ? '# Experiences\n' : before;
  return { file: addItem(begun, experienceHeadings[kind], item), noted: { kind, text: item } };
}

/**
 * Derives an experience from the end of a phase: why its list was abandoned, or how it failed. `undefined` if it succeeded,
 * or failed for a reason outside the agent's control.
 */
export function deriveExperience(state: PhaseState, end: PhaseEvent): Experience | undefined {
  const todo = currentTodo(state.todos.list);
  const where = `Phase "${toItemText(state.start.identity.name, 60)}"${todo ? `, at "${toItemText(todo.content, 100)}"` : ''}`;
  if (end.type === 'PhaseCompleted' && end.data.rewound)
    return { kind: 'failed', text: `${where}: abandoned: ${end.data.rewound.issue}` };
  if (end.type === 'PhaseFailed' && !externalFailures.has(end.data.code))
    return { kind: 'failed', text: `${where}: ${end.data.message}` };
  return undefined;
}

/** Failures that the agent's work did not cause. */
const externalFailures: ReadonlySet<string> = new Set([
  'cost_limit',
  'token_limit',
  'wall_time_limit',
  'model_failed',
  'definition_missing',
  'worker_lost',
  'not_recorded',
]);
