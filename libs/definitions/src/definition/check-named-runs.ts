import { DIFF_REVIEW, listLeafChecks, type Check } from '@phaseline/checks';
import type { Workflow } from '@phaseline/domain';
import type { LoadedAgent } from '../agent/load-agent.js';
import type { DefinitionProblem } from '../definition-errors.js';
import type { ReadWorkflow } from './check-state-agents.js';
import { suggestNear } from './near-matches.js';

type State = Workflow['states'][string];
type Kind = 'verifier' | 'judge' | 'schema';

/** A check of a workflow, the state in which it is evaluated, and its path in the file. */
interface PlacedCheck {
  readonly check: Check;
  readonly state: State;
  readonly path: readonly PropertyKey[];
}

/**
 * Checks that the verifiers, judges and JSON Schemas that the checks of a workflow name exist: at least one agent that runs the state must have
 * them. That is the agent that the state names, else those that have the workflow.
 */
export function checkNamedRuns(
  { definition, problemAt }: ReadWorkflow,
  agents: Iterable<LoadedAgent>,
): readonly DefinitionProblem[] {
  const all = [...agents].map((agent) => agent.definition);
  return listPlacedChecks(definition).flatMap(({ check, state, path }) => {
    const running = all.filter(({ name, workflow }) =>
      state.agent === undefined ? workflow === definition.name : name === state.agent,
    );
    // An agent that is missing or broken is reported by itself.
    if (running.length === 0) return [];
    return listNames(check).flatMap(({ kind, name }) => {
      const known = new Set(running.flatMap((agent) => listKnown(agent, kind)));
      if (known.has(name)) return [];
      const owners = running.map((agent) => `'${agent.name}'`).join(' or ');
      const list = [...known].sort().join(', ') || 'none';
      return problemAt(
        path,
        `${path.join('.')}: the agent ${owners} has no ${kind} '${name}'${suggestNear(name, known)}; known: ${list}`,
      );
    });
  });
}

function listPlacedChecks({ states }: Workflow): readonly PlacedCheck[] {
  return Object.entries(states).flatMap(([name, state]) => {
    const path = ['states', name];
    const outcomes = Object.entries(state.outcomes).flatMap(([outcome, transition]) => {
      const at = [...path, 'outcomes', outcome];
      const { checks = [], when } = transition;
      const next = 'to' in transition ? states[transition.to] : undefined;
      return [
        ...place(checks, state, [...at, 'checks']),
        ...(Array.isArray(when) ? place(when, state, [...at, 'when']) : []),
        ...(next && 'to' in transition ? placeTodos(transition.todos ?? [], next, [...at, 'todos']) : []),
      ];
    });
    const { after = [] } = state.controller ?? {};
    return [
      ...place(after, state, [...path, 'controller', 'after']),
      ...(Array.isArray(state.todos) ? placeTodos(state.todos, state, [...path, 'todos']) : []),
      ...outcomes,
    ];
  });
}

type Todos = Exclude<State['todos'], 'from-file' | undefined>;

function placeTodos(todos: Todos, state: State, path: readonly PropertyKey[]): readonly PlacedCheck[] {
  return todos.flatMap((todo, index) =>
    typeof todo === 'string' ? [] : place(todo.checks, state, [...path, index, 'checks']),
  );
}

function place(checks: readonly Check[], state: State, path: readonly PropertyKey[]): readonly PlacedCheck[] {
  return checks.map((check, index) => ({ check, state, path: [...path, index] }));
}

interface NamedRun {
  readonly kind: Kind;
  readonly name: string;
}

function listNames(check: Check): readonly NamedRun[] {
  return listLeafChecks(check).flatMap((leaf): readonly NamedRun[] => {
    if ('verifier' in leaf) return [{ kind: 'verifier', name: leaf.verifier }];
    if ('proof' in leaf) return [{ kind: 'verifier', name: leaf.proof }];
    if ('judge' in leaf) return [{ kind: 'judge', name: leaf.judge }];
    const schema = 'file' in leaf ? leaf.file.jsonSchema : undefined;
    return schema === undefined ? [] : [{ kind: 'schema', name: schema }];
  });
}

function listKnown({ verifiers = [], judges = {}, schemas = {} }: LoadedAgent['definition'], kind: Kind): string[] {
  if (kind === 'verifier') return verifiers.map(({ name }) => name);
  return kind === 'judge' ? [DIFF_REVIEW, ...Object.keys(judges)] : Object.keys(schemas);
}
