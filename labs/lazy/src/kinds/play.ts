import type { SeededRandom } from '@phaseline/harness';
import type { KindEntry } from '../list/kind-entry.js';
import type { Answer } from '../script/call.js';
import type { FeatureScript } from '../script/feature-script.js';
import type { Script } from '../script/script.js';
import type { Tasks } from '../tasks/generate-task.js';

/**
 * Turns the honest script of a task into that of a pretending model. Everything that is not part of the pretence stays honest, so that
 * the pretence is refused for its own sake and not for missing notes.
 */
type Play<Name extends keyof Tasks> = (
  honest: ScriptOf<Name>,
  task: Tasks[Name],
  random: SeededRandom,
) => ScriptOf<Name>;

/** The script of a task: its workflow decides what there is to answer. */
type ScriptOf<Name extends keyof Tasks> = Name extends 'features' ? FeatureScript : Script;

/** A play for each kind of a table; those of a task that cannot be generated yet have none. */
export type Plays<Table extends Readonly<Record<string, KindEntry>>> = {
  readonly [Name in keyof Table as Table[Name]['task'] extends keyof Tasks ? Name : never]: Play<
    Extract<Table[Name]['task'], keyof Tasks>
  >;
};

/** The same answers for each todo of a task. */
export const forEachTodo = (
  { todos }: Pick<Tasks['totals'], 'todos'>,
  answers: (index: number) => readonly Answer[],
): readonly Answer[] => todos.flatMap((_, index) => answers(index));
