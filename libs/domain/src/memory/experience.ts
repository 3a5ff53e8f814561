import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { currentTodo } from '../todo/todo.js';
import type { experienceKinds } from './experience-events.js';
import { addItem, itemText } from './markdown-list.js';

/** Where the agent keeps what failed and what was learned. */
export const EXPERIENCES_FILE = 'experiences.md';

export type ExperienceKind = (typeof experienceKinds)[number];

/** The sections that they stand in. */
export const experienceHeadings: Readonly<Record<ExperienceKind, string>> = {
  failed: 'Failed approaches',
  lesson: 'Lessons learned',
  works: 'Patterns that work',
};

export interface Experience {
  readonly kind: ExperienceKind;
  /** One line, at most `EXPERIENCE_CHARACTERS`. */
  readonly text: string;
}

/** Of one experience. */
export const EXPERIENCE_CHARACTERS = 500;
/** Of the whole file. To a longer one nothing is added: somebody has to tidy it first. */
const FILE_CHARACTERS = 64_000;

/**
 * The file with one more experience, and the experience as it stands there. `undefined` where it is there already, says
 * nothing, or has no room.
 */
export function addExperience(
  file: string | undefined,
  { kind, text }: Experience,
): { readonly file: string; readonly noted: Experience } | undefined {
  const item = itemText(text, EXPERIENCE_CHARACTERS);
  const before = file ?? '';
  if (item === '' || before.split(/\r?\n/).includes(`- ${item}`)) return undefined;
  if (before.length + item.length > FILE_CHARACTERS) return undefined;
  const begun = before.trim() === '' ? '# Experiences\n' : before;
  return { file: addItem(begun, experienceHeadings[kind], item), noted: { kind, text: item } };
}

/**
 * What the end of a phase teaches: that its list was given up and why, or how it failed. Nothing where it went well, or where
 * it failed for a reason that is none of the agent's.
 */
export function lessonOf(state: PhaseState, end: PhaseEvent): Experience | undefined {
  const todo = currentTodo(state.todos);
  const where = `Phase "${itemText(state.start.name, 60)}"${todo ? `, at "${itemText(todo.content, 100)}"` : ''}`;
  if (end.type === 'PhaseCompleted' && end.data.rewound)
    return { kind: 'failed', text: `${where}: given up: ${end.data.rewound.issue}` };
  if (end.type === 'PhaseFailed' && !blameless.has(end.data.code))
    return { kind: 'failed', text: `${where}: ${end.data.message}` };
  return undefined;
}

/** The work had no part in these. */
const blameless: ReadonlySet<string> = new Set([
  'cost_limit',
  'token_limit',
  'wall_time_limit',
  'model_failed',
  'definition_missing',
  'worker_lost',
  'not_recorded',
]);
