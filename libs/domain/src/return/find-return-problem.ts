import type { JsonObject, JsonValue } from '@phaseline/basics';
import { findAuthorViolations } from '@phaseline/checks';
import type { PhaseState } from '../phase/phase-state.js';
import { openTodos } from '../todo/todo.js';
import type { PhaseReturn } from './return-events.js';

/** Maximum number of paths in `artifacts`. A return names what matters; the workspace has the rest. */
const MAX_ARTIFACTS = 5;
/** Maximum lines and characters of one text of a result. A longer one is a log or a copy, which belongs in a file. */
const MAX_TEXT_LINES = 20;
const MAX_TEXT_CHARACTERS = 2_000;
/** Maximum number of violations of the schema that the model is told about. */
const MAX_VIOLATIONS = 10;

/**
 * Finds why a phase cannot return this, as a text for the model; `undefined` if it can. `tokens` is the size of the result's JSON text.
 */
export function findReturnProblem(state: PhaseState, given: PhaseReturn, tokens: number): string | undefined {
  const { returns } = state.start.plan;
  if (!returns) return 'This phase does not end with a return. Complete its todos.';
  const schema = state.start.terms.schemas?.[returns.schema];
  if (!schema) return `The schema ${returns.schema} of the return is missing in the definition of the agent.`;
  return (
    findOutcomeProblem(state, given.outcome) ??
    findSizeProblem(tokens, returns.maxTokens) ??
    findContentProblem(state, given.result) ??
    findSchemaProblem(schema, given.result)
  );
}

/** Names of the outcomes that a return may name, in the order of the workflow. */
export function listReturnableOutcomes({ start: { routes } }: PhaseState): readonly string[] {
  return [...(routes.finish ? [routes.finish] : []), ...(routes.returned ?? [])].map(({ outcome }) => outcome);
}

/** Whether the workflow allows to return the outcome while todos are open. */
export function isEarlyReturn({ start: { routes } }: PhaseState, outcome: string | undefined): boolean {
  return routes.returned?.some((one) => one.early && one.outcome === outcome) ?? false;
}

function findOutcomeProblem(state: PhaseState, outcome: string | undefined): string | undefined {
  const names = listReturnableOutcomes(state);
  if (outcome !== undefined && !names.includes(outcome))
    return `There is no outcome '${outcome}' to return. Known: ${names.join(', ')}.`;
  const open = openTodos(state.todos.list);
  if (open.length <= 1 || isEarlyReturn(state, outcome)) return undefined;
  const early = (state.start.routes.returned ?? []).filter((one) => one.early).map((one) => one.outcome);
  const hint = early.length > 0 ? ` With open todos, only these outcomes can be returned: ${early.join(', ')}.` : '';
  return `${open.length} todos are open. Complete them first. Current: ${open[0]!.id}. ${open[0]!.content}${hint}`;
}

function findSizeProblem(tokens: number, maxTokens: number): string | undefined {
  if (tokens <= maxTokens) return undefined;
  return `The result has ${tokens} tokens; at most ${maxTokens} are allowed. Write details to a file and name the file.`;
}

function findContentProblem({ tree }: PhaseState, result: JsonObject): string | undefined {
  const long = findLongText(result, '');
  if (long !== undefined)
    return `${long} is longer than ${MAX_TEXT_LINES} lines or ${MAX_TEXT_CHARACTERS} characters. Say what follows from it, and leave logs and tool output in files.`;
  const paths = listArtifacts(result);
  if (paths.length > MAX_ARTIFACTS)
    return `'artifacts' lists ${paths.length} files; at most ${MAX_ARTIFACTS} are allowed. Name those that matter most, and give only the number of the others.`;
  const missing = paths.filter((path) => !Object.hasOwn(tree, path));
  if (missing.length > 0) return `'artifacts' names files that do not exist: ${missing.join(', ')}.`;
  return undefined;
}

/** The paths that a result names in `artifacts`: texts, or objects with a `path`. */
function listArtifacts({ artifacts }: JsonObject): readonly string[] {
  if (!Array.isArray(artifacts)) return [];
  return artifacts.map((one) => {
    const path = typeof one === 'object' && one !== null && !Array.isArray(one) ? one['path'] : one;
    return typeof path === 'string' ? path.replace(/^\.\//, '') : JSON.stringify(path ?? null);
  });
}

/** JSON pointer to a text that is too long; `undefined` if there is none. */
function findLongText(value: JsonValue, at: string): string | undefined {
  if (typeof value === 'string') {
    const isLong = value.length > MAX_TEXT_CHARACTERS || value.split('\n', MAX_TEXT_LINES + 1).length > MAX_TEXT_LINES;
    return isLong ? at : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = findLongText(member as JsonValue, `${at}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findSchemaProblem(schema: JsonObject, result: JsonObject): string | undefined {
  const violations = findAuthorViolations(schema, result);
  if (violations.length === 0) return undefined;
  return `The result does not fulfil its schema: ${violations.slice(0, MAX_VIOLATIONS).join('; ')}.`;
}
