import { z } from 'zod';
import { openTodos, type Todo } from './todo.js';

/** A todo that was left open when its list was given up. The job owes it until a list that accounts for it is taken over. */
export const obligationSchema = z.object({
  /** The phase whose list it stood on. */
  phase: z.int().min(1),
  id: z.int(),
  content: z.string(),
});
export type Obligation = z.infer<typeof obligationSchema>;

/** Of one obligation in a message; all of them are named. */
const SHOWN_CHARACTERS = 200;

/** What `covers` names an obligation by: `4-2` is todo 2 of phase 4. */
export function obligationRef({ phase, id }: Pick<Obligation, 'phase' | 'id'>): string {
  return `${phase}-${id}`;
}

/** The todos that a list leaves behind when its phase ends. */
export function leftBehind(phase: number, todos: readonly Todo[]): readonly Obligation[] {
  return openTodos(todos).map(({ id, content }) => ({ phase, id, content }));
}

/** The obligations that none of these todos accounts for, neither by the same content nor by naming it. */
export function uncovered(
  obligations: readonly Obligation[],
  todos: readonly Pick<Todo, 'content' | 'covers'>[],
): readonly Obligation[] {
  const contents = new Set(todos.map(({ content }) => content.trim()));
  const refs = new Set(todos.flatMap(({ covers = [] }) => covers));
  return obligations.filter(
    (obligation) => !contents.has(obligation.content.trim()) && !refs.has(obligationRef(obligation)),
  );
}

/**
 * The reference that `given` means: `4-2`, or the mere id where only one obligation has it. `undefined` where there is no
 * such obligation.
 */
export function resolveRef(given: string | number, obligations: readonly Obligation[]): string | undefined {
  const text = String(given).trim();
  const exact = obligations.find((obligation) => obligationRef(obligation) === text);
  const byId = exact ? [exact] : obligations.filter(({ id }) => String(id) === text);
  return byId.length === 1 ? obligationRef(byId[0]!) : undefined;
}

/** An obligation as the agent reads it, with the reference that accounts for it. */
export function describeObligation(obligation: Obligation): string {
  const { content } = obligation;
  const shown = content.length > SHOWN_CHARACTERS ? `${content.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : content;
  return `${obligationRef(obligation)} "${shown.replace(/\s+/g, ' ')}"`;
}

/** Several of them, each named. */
export function describeObligations(obligations: readonly Obligation[]): string {
  return obligations.map(describeObligation).join('; ');
}
