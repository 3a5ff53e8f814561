import { listLeafChecks, READING_TOOL } from '@phaseline/checks';
import { listToolGroups, type PhaseKind, type Workflow } from '@phaseline/domain';
import type { ReadDefinition } from '../agent/load-agent.js';
import type { DefinitionProblem } from '../definition-errors.js';

/** Reports an agent that cannot read files in phases in which its workflow demands it: none of its jobs could be completed. */
export function checkReadingTools(
  { definition, problemAt }: ReadDefinition,
  workflow: Workflow,
): readonly DefinitionProblem[] {
  const kinds = new Set(listReadingKinds(workflow));
  return [...kinds].flatMap((kind) => {
    const groups = new Set(['workspace', kind, ...(kind === 'tactical' ? ['domain'] : [])]);
    if (listToolGroups(definition).some(([group, names]) => groups.has(group) && names.includes(READING_TOOL)))
      return [];
    const message = `tools: the workflow '${workflow.name}' demands in ${kind} phases that files are read; add '${READING_TOOL}' to 'tools.workspace' or 'tools.${kind}'`;
    return [problemAt(['tools'], message)];
  });
}

/** Kinds of the phases of the job's own agent in which a todo demands that files are read. */
function listReadingKinds({ states }: Workflow): readonly PhaseKind[] {
  const own = Object.values(states).filter(({ agent }) => agent === undefined);
  const entered = Object.values(states).flatMap(({ outcomes }) =>
    Object.values(outcomes).flatMap((transition) => {
      const next = 'to' in transition ? states[transition.to] : undefined;
      const todos = 'to' in transition ? transition.todos : undefined;
      return next && next.agent === undefined && todos ? [{ kind: next.kind, todos }] : [];
    }),
  );
  return [...own, ...entered].flatMap(({ kind, todos }) => (demandsReading(todos) ? [kind] : []));
}

function demandsReading(todos: Workflow['states'][string]['todos']): boolean {
  if (todos === undefined || todos === 'from-file') return false;
  const checks = todos.flatMap((todo) => (typeof todo === 'string' ? [] : todo.checks));
  return checks.flatMap(listLeafChecks).some((check) => 'read' in check);
}
