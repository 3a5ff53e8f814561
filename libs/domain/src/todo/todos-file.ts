import { isBlankText } from '@phaseline/basics';
import { dump, load, YAMLException } from 'js-yaml';
import { describeObligations, findUncovered, type Obligation } from './obligation.js';
import type { OutputRules } from './planned-outputs.js';
import { isRecord, readPlannedTodo } from './planned-todo.js';
import type { Todo } from './todo.js';

export const TODOS_FILE = 'todos.yaml';

export interface TodoLimits {
  readonly min: number;
  readonly max: number;
}

/** Plan for one tactical phase, read from `todos.yaml`. */
export interface TodoPlan {
  readonly phase?: string;
  readonly description?: string;
  readonly todos: readonly Todo[];
}

export type TodosFileResult =
  { readonly ok: true; readonly plan: TodoPlan } | { readonly ok: false; readonly problems: readonly string[] };

/** Size in characters above which a todos file is rejected unread: 20 todos need a few kilobytes. */
const MAX_CHARACTERS = 200_000;
/** Maximum number of problems listed in one message. */
const MAX_PROBLEMS = 10;

/**
 * Checks the todos file, the gate between planning and execution. It must be valid YAML with a `todos` list of `limits.min`
 * to `limits.max` items, each with a unique integer `id` and a `content` that is not empty. Every obligation must be covered
 * by a todo with the same content or by a reference in `covers`. `outputs` are paths or checks; `rules` say what they may demand.
 * All problems are reported together.
 */
export function checkTodosFile(
  text: string | undefined,
  limits: TodoLimits,
  obligations: readonly Obligation[] = [],
  rules?: OutputRules,
): TodosFileResult {
  if (text === undefined) return rejectWith([`${TODOS_FILE} does not exist. Create it with the todo_write tool.`]);
  if (text.length > MAX_CHARACTERS)
    return rejectWith([`${TODOS_FILE} has ${text.length} characters; keep it under ${MAX_CHARACTERS}.`]);
  let document: unknown;
  try {
    document = load(text);
  } catch (error) {
    return rejectWith([`${TODOS_FILE} is not valid YAML: ${yamlProblem(error)}`]);
  }
  if (!isRecord(document) || !Array.isArray(document['todos'])) {
    return rejectWith([`${TODOS_FILE} must be a mapping with a list named 'todos'.`]);
  }
  const items: readonly unknown[] = document['todos'];
  const problems: string[] = [];
  if (items.length < limits.min || items.length > limits.max) {
    problems.push(`expected ${limits.min} to ${limits.max} todos, found ${items.length}.`);
  }
  const reading = { obligations, rules, ids: new Set<number>(), taken: new Set<string>() };
  const read = items.map((item, index) => readPlannedTodo(item, `todo ${index + 1}`, reading));
  problems.push(...read.flatMap((one) => one.problems));
  const todos = read.flatMap(({ todo }) => todo ?? []);
  const missing = findUncovered(obligations, todos);
  if (missing.length > 0) {
    problems.unshift(
      `these todos of earlier lists are still open and not covered: ${describeObligations(missing)}. Repeat each one with the same text, or name it in 'covers' of the todo that replaces it.`,
    );
  }
  const { phase, description } = document;
  if (rules?.required) problems.push(...findMissingNames({ phase, description }));
  if (problems.length > 0) return rejectWith(problems);
  return {
    ok: true,
    plan: {
      ...(typeof phase === 'string' && phase !== '' ? { phase } : {}),
      ...(typeof description === 'string' && description !== '' ? { description } : {}),
      todos,
    },
  };
}

/** Renders a todos file as `todo_write` stores it. */
export function renderTodosFile(plan: {
  readonly phase?: string | undefined;
  readonly description?: string | undefined;
  readonly todos: readonly {
    readonly id: number;
    readonly content: string;
    readonly covers?: readonly (string | number)[] | undefined;
    /** Paths and checks as they were given. */
    readonly outputs?: readonly unknown[] | undefined;
  }[];
}): string {
  return dump({
    ...(plan.phase === undefined ? {} : { phase: plan.phase }),
    ...(plan.description === undefined ? {} : { description: plan.description }),
    todos: plan.todos.map(({ id, content, covers = [], outputs = [] }) => ({
      id,
      content,
      ...(covers.length > 0 ? { covers } : {}),
      ...(outputs.length > 0 ? { outputs } : {}),
    })),
  });
}

/** Renders a todos file that says that nothing is left to plan. */
export function renderPlanComplete(): string {
  return dump({ plan_complete: true, todos: [] });
}

/** Whether the file says that nothing is left to plan: `plan_complete: true` without todos. */
export function isPlanComplete(text: string | undefined): boolean {
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

/** The problems of a plan that does not say what its phase is called, or what it is to achieve. */
export function findMissingNames({
  phase,
  description,
}: {
  readonly phase?: unknown;
  readonly description?: unknown;
}): readonly string[] {
  return [
    ...(isFilled(phase) ? [] : ["'phase' must name the phase."]),
    ...(isFilled(description) ? [] : ["'description' must state the objective of the phase."]),
  ];
}

function rejectWith(problems: readonly string[]): TodosFileResult {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const hidden = problems.length - shown.length;
  return { ok: false, problems: hidden > 0 ? [...shown, `and ${hidden} more.`] : shown };
}

function yamlProblem(error: unknown): string {
  if (!(error instanceof YAMLException)) return String(error);
  const line = error.mark?.line;
  return line === undefined ? error.reason : `${error.reason} (line ${line + 1})`;
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && !isBlankText(value);
}
