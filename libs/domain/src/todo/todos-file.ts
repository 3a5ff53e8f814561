import { isBlankText } from '../gate/blank-text.js';
import { dump, load, YAMLException } from 'js-yaml';
import { describeObligations, resolveRef, uncovered, type Obligation } from './obligation.js';
import type { Todo } from './todo.js';

export const TODOS_FILE = 'todos.yaml';

export interface TodoLimits {
  readonly min: number;
  readonly max: number;
}

/** A plan for one tactical phase, as `todos.yaml` holds it. */
export interface TodoPlan {
  readonly phase?: string;
  readonly description?: string;
  readonly todos: readonly Todo[];
}

export type TodosFileVerdict =
  { readonly ok: true; readonly plan: TodoPlan } | { readonly ok: false; readonly problems: readonly string[] };

/** A todos file larger than this is refused unread: 20 todos need a few kilobytes. */
const MAX_CHARACTERS = 200_000;
const MAX_PROBLEMS = 10;

/**
 * The gate between planning and doing: valid YAML with a `todos` list of `limits.min` to `limits.max` items, each with
 * an integer `id` and a `content` that is not empty, ids unique, and every obligation accounted for: by a todo of the same
 * content, or by one that names it in `covers`. Names every problem at once, so that one more attempt can mend them all.
 */
export function checkTodosFile(
  text: string | undefined,
  limits: TodoLimits,
  obligations: readonly Obligation[] = [],
): TodosFileVerdict {
  if (text === undefined) return refused([`${TODOS_FILE} does not exist. Create it with the todo_write tool.`]);
  if (text.length > MAX_CHARACTERS)
    return refused([`${TODOS_FILE} has ${text.length} characters; keep it under ${MAX_CHARACTERS}.`]);
  let document: unknown;
  try {
    document = load(text);
  } catch (error) {
    return refused([`${TODOS_FILE} is not valid YAML: ${yamlProblem(error)}`]);
  }
  if (!isRecord(document) || !Array.isArray(document['todos'])) {
    return refused([`${TODOS_FILE} must be a mapping with a list named 'todos'.`]);
  }
  const items: readonly unknown[] = document['todos'];
  const problems: string[] = [];
  if (items.length < limits.min || items.length > limits.max) {
    problems.push(`expected ${limits.min} to ${limits.max} todos, found ${items.length}.`);
  }
  const seen = new Set<number>();
  const todos: Todo[] = [];
  items.forEach((item, index) => {
    const place = `todo ${index + 1}`;
    if (!isRecord(item)) {
      problems.push(`${place} must be a mapping with 'id' and 'content'.`);
      return;
    }
    const { id, content } = item;
    const idIsGood = typeof id === 'number' && Number.isSafeInteger(id);
    if (!idIsGood) problems.push(`${place}: 'id' must be an integer.`);
    else if (seen.has(id)) problems.push(`${place}: id ${id} is used more than once.`);
    else seen.add(id);
    const contentIsGood = typeof content === 'string' && !isBlankText(content);
    if (!contentIsGood) problems.push(`${place}: 'content' must be a text that is not empty.`);
    if (idIsGood && contentIsGood)
      todos.push({ id, content: content.trim(), status: 'open', ...coversOf(item['covers'], obligations) });
  });
  const missing = uncovered(obligations, todos);
  if (missing.length > 0) {
    problems.unshift(
      `these todos of earlier lists are still open and nothing here accounts for them: ${describeObligations(missing)}. Take each over word for word, or name it in 'covers' of the todo that takes its place.`,
    );
  }
  if (problems.length > 0) return refused(problems);
  const { phase, description } = document;
  return {
    ok: true,
    plan: {
      ...(typeof phase === 'string' && phase !== '' ? { phase } : {}),
      ...(typeof description === 'string' && description !== '' ? { description } : {}),
      todos,
    },
  };
}

/** The text of a todos file, as `todo_write` stores it. */
export function renderTodosFile(plan: {
  readonly phase?: string | undefined;
  readonly description?: string | undefined;
  readonly todos: readonly {
    readonly id: number;
    readonly content: string;
    readonly covers?: readonly (string | number)[] | undefined;
  }[];
}): string {
  return dump({
    ...(plan.phase === undefined ? {} : { phase: plan.phase }),
    ...(plan.description === undefined ? {} : { description: plan.description }),
    todos: plan.todos.map(({ id, content, covers = [] }) => ({
      id,
      content,
      ...(covers.length > 0 ? { covers } : {}),
    })),
  });
}

/** The text of a todos file that says that nothing is left to plan. */
export function renderPlanComplete(): string {
  return dump({ plan_complete: true, todos: [] });
}

/** Whether the file says that nothing is left to plan: `plan_complete: true`, and no todos. */
export function saysPlanComplete(text: string | undefined): boolean {
  if (text === undefined || text.length > MAX_CHARACTERS) return false;
  try {
    const document: unknown = load(text);
    if (!isRecord(document) || document['plan_complete'] !== true) return false;
    const todos = document['todos'] ?? [];
    return Array.isArray(todos) && todos.length === 0;
  } catch {
    return false;
  }
}

/** What a todo says that it accounts for. A reference to nothing is left out: what is owed still is, and is named then. */
function coversOf(given: unknown, obligations: readonly Obligation[]): { covers?: string[] } {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const refs = list.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? (resolveRef(one, obligations) ?? []) : [],
  );
  return refs.length > 0 ? { covers: [...new Set(refs)] } : {};
}

function refused(problems: readonly string[]): TodosFileVerdict {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const hidden = problems.length - shown.length;
  return { ok: false, problems: hidden > 0 ? [...shown, `and ${hidden} more.`] : shown };
}

function yamlProblem(error: unknown): string {
  if (!(error instanceof YAMLException)) return String(error);
  const line = error.mark?.line;
  return line === undefined ? error.reason : `${error.reason} (line ${line + 1})`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
