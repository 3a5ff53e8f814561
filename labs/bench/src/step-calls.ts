import type { JsonObject } from '@phaseline/basics';
import type { ToolLane } from '@phaseline/contracts';
import { defineRemoteTool, type InlineTool, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';

const input = z.object({ text: z.string() });
const description = 'Says what it was told.';

const say: InlineTool = {
  ...{ name: 'say', description, input, lane: 'inline' },
  run: async (_context, called) => ({ content: input.parse(called).text }),
};

const echo = defineRemoteTool({
  ...{ name: 'echo', description, effect: 'pure', timeoutMs: 10_000, input },
  run: async (_context, { text }) => ({ content: text }),
});

/** A tool of each lane that returns at once, so that a benchmark measures only what calls cost. */
export const stepPack: ToolPack = { name: 'bench', tools: [say, echo] };

/** What an agent needs in order to make the calls of `createStepCall`. */
export const STEP_TOOLS = { workspace: ['write_file'], domain: ['say', 'echo'] };

/** The call of a step: of the tool of a lane, or of `write_file`, which is an inline tool that also stores a file. */
export function createStepCall(
  lane: ToolLane | 'file',
  turn: number,
): { readonly name: string; readonly arguments: JsonObject } {
  const text = `step ${turn}`;
  if (lane === 'file') return { name: 'write_file', arguments: { path: 'notes.md', content: text } };
  return { name: lane === 'inline' ? 'say' : 'echo', arguments: { text } };
}
