import { defineRemoteTool, type RemoteToolDefinition } from '@phaseline/tools';
import type { EngineOptions } from './engine.js';

/** Returns the options of an engine whose agent has a remote tool, in addition to those that every phase needs. */
export function offerTool<Input>(
  tool: Omit<RemoteToolDefinition<Input>, 'description'>,
): Required<Pick<EngineOptions, 'packs' | 'agent'>> {
  return {
    packs: [{ name: 'offered', tools: [defineRemoteTool({ description: '', ...tool })] }],
    agent: {
      tools: {
        workspace: ['write_file', 'read_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: [tool.name],
      },
    },
  };
}
