import { systemTools } from '@phaseline/domain';
import type { ToolDeclaration } from '@phaseline/contracts';
import type { DefinitionProblem } from '../definition-errors.js';
import type { ReadWorkflow } from './check-state-agents.js';
import { suggestNear } from './near-matches.js';

/** The declared tools by name. */
type KnownTools = ReadonlyMap<string, Pick<ToolDeclaration, 'name' | 'traits'>>;

/** Checks that the controllers and tools that states name exist: a phase without its controller could not end. */
export function checkStateTools(
  { definition, problemAt }: ReadWorkflow,
  tools: KnownTools,
): readonly DefinitionProblem[] {
  const controllers = [...tools.values()].filter(isController).map(({ name }) => name);
  const report = (path: readonly PropertyKey[], kind: string, name: string, known: readonly string[]) =>
    problemAt(path, `${path.join('.')}: there is no ${kind} '${name}'${suggestNear(name, new Set(known))}`);
  return Object.entries(definition.states).flatMap(([state, { controller, tools: named = [] }]) => [
    ...(controller && !controllers.includes(controller.tool)
      ? [report(['states', state, 'controller', 'tool'], 'controller', controller.tool, controllers)]
      : []),
    ...named.flatMap((name, index) =>
      tools.has(name) ? [] : [report(['states', state, 'tools', index], 'tool', name, [...tools.keys()])],
    ),
  ]);
}

function isController({
  name,
  traits = [],
}: {
  readonly name: string;
  readonly traits?: ToolDeclaration['traits'];
}): boolean {
  return traits.includes('system') && !(Object.values(systemTools) as readonly string[]).includes(name);
}
