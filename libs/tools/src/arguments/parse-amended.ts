import type { JsonObject } from '@phaseline/basics';
import { checkAgainstSchema, type ParsedArguments, type PhaseState } from '@phaseline/domain';
import type { ToolRegistry } from '../tool-registry.js';

/**
 * Checks the arguments with which a person replaces those of a call, as strictly as those of the model. A tool of an MCP server
 * is checked by the schema that was recorded with it. Returns undefined if no schema is known, or if it cannot be used for a check.
 */
export function parseAmended(
  registry: ToolRegistry,
  phase: PhaseState,
  name: string,
  args: JsonObject,
): ParsedArguments | undefined {
  const tools = registry.forPhase(phase);
  if (registry.find(name)) return tools.parseArguments(name, args);
  const spec = tools.find(name);
  const checked = spec && checkAgainstSchema(spec.definition.parameters, args);
  if (!checked) return undefined;
  return checked.problem === undefined ? { arguments: args, ignoredArguments: [] } : { problem: checked.problem };
}
