import type { AdmittedCall } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { parseInput, type Tool, type ToolRegistry } from '@phaseline/tools';

type ToolOf<Lane extends Tool['lane']> = Extract<Tool, { lane: Lane }>;

/**
 * Finds the tool of a call and parses the arguments. Throws ToolError with the code `unknown_tool` when this process has
 * no such tool in the lane, and `bad_arguments` when the arguments do not match the tool's schema. The call was admitted
 * with the tools of another process, perhaps of another release, so both can happen.
 */
export function resolveCall<Lane extends Tool['lane']>(
  tools: ToolRegistry,
  { name, arguments: args }: AdmittedCall,
  lane: Lane,
): { readonly tool: ToolOf<Lane>; readonly input: unknown } {
  const tool = tools.get(name);
  if (tool?.lane !== lane) throw new ToolError('unknown_tool', `${name} is no longer available.`);
  return { tool: tool as ToolOf<Lane>, input: parseInput(tool, args) };
}
