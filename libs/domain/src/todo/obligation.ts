import { clip } from '@phaseline/basics';
import { z } from 'zod';
import { openTodos, type Todo } from './todo.js';

/** A todo that was left open when its list was abandoned. The job has this obligation until a later list accounts for it. */
export const obligationSchema = z.object({
  /** Number of the phase whose list contained it. */
  phase: z.int().min(1),
  id: z.int(),
  content: z.string(),
});
export type Obligation = z.infer<typeof obligationSchema>;

/** Maximum characters shown of one obligation in a message. */
const MAX_SHOWN_CHARACTERS = 200;

/** Reference used in `covers`: `4-2` is todo 2 of phase 4. */
export function obligationRef({ phase, id }: Pick<Obligation, 'phase' | 'id'>): string {
  return `${phase}-${id}`;
}

/** The open todos of an ended phase, as obligations. */
export function listOpenObligations(phase: number, todos: readonly Todo[]): readonly Obligation[] {
  return openTodos(todos).map(({ id, content }) => ({ phase, id, content }));
}

/** The obligations that none of these todos accounts for, either by the same content or by a reference in `covers`. */
export function findUncovered(
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
 * Resolves a reference such as `4-2`, or a todo id that only one obligation has. `undefined` if it matches no obligation or
 * several.
 */
export function resolveObligationRef(given: string | number, obligations: readonly Obligation[]): string | undefined {
  const text = String(given).trim();
  const exact = obligations.find((obligation) => obligationRef(obligation) === text);
  const byId = exact ? [exact] : obligations.filter(({ id }) => String(id) === text);
  return byId.length === 1 ? obligationRef(byId[0]!) : undefined;
}

/** Describes an obligation to the agent, with the reference that accounts for it. */
function describeObligation(obligation: Obligation): string {
  return `${obligationRef(obligation)} "${clip(obligation.content, MAX_SHOWN_CHARACTERS).replace(/\s+/g, ' ')}"`;
}

/** Describes all obligations to the agent. */
export function describeObligations(obligations: readonly Obligation[]): string {
  return obligations.map(describeObligation).join('; ');
}
