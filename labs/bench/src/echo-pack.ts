import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';

const echo = defineRemoteTool({
  name: 'echo',
  description: 'Says what it was told.',
  effect: 'pure',
  timeoutMs: 10_000,
  input: z.object({ text: z.string() }),
  run: async (_context, { text }) => ({ content: text }),
});

/** A remote tool that returns at once, so that a benchmark measures only what calls cost. */
export const echoPack: ToolPack = { name: 'bench', tools: [echo] };
