import { generateAgentJsonSchema } from '@phaseline/definitions';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';

/** `phaseline agents schema`: prints the JSON Schema of a definition, for editors. Identical to docs/reference/agent.schema.json. */
export async function showAgentSchema({ out }: CommandContext): Promise<ExitCode> {
  out.writeLines(...JSON.stringify(generateAgentJsonSchema(), null, 2).split('\n'));
  return exitCode.ok;
}
