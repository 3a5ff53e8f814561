import { SEARCH_TOOLS } from '@phaseline/domain';
import { z } from 'zod';
import { logTool, type ToolPack } from '../tool.js';
import { ToolIndex } from './rank-tools.js';
import { everydayWords, type ReadRequest } from './request-words.js';

/** So much of a description stands in the result; the tool itself is in the list with all of it. */
const SHOWN_CHARACTERS = 160;
const LIMIT = 5;
const MOST = 20;

/** The search, with the given way to read requests. */
export const searchToolsBy = (read: ReadRequest = everydayWords) =>
  logTool({
    name: SEARCH_TOOLS,
    description:
      'Searches the tools that are not in your list, by what they do, and adds the best to it for the rest of the phase. Say in a few words what the tool is to do and to what.',
    input: z.object({
      query: z.string().min(1).max(500).describe('What the tool is to do, such as: create an issue on github'),
      limit: z.int().min(1).max(MOST).default(LIMIT).describe('How many tools to add at most'),
    }),
    run: async ({ state, callId, specsOf }, { query, limit }) => {
      const { onDemand = [] } = state.start;
      const index = new ToolIndex(
        (specsOf?.(onDemand) ?? []).map(({ definition }) => definition),
        read,
      );
      const found = index.search(query, limit).map(({ tool }) => tool);
      if (found.length === 0)
        return {
          content:
            'No tool fits. Try other words, such as the verb and the thing, or a name from the list of more tools.',
        };
      const loaded = new Set(state.loaded);
      const names = found.map(({ name }) => name).filter((name) => !loaded.has(name));
      return {
        content: [
          'In your list now, best first:',
          ...found.map(({ name, description }) => `- ${name}: ${shortened(description)}`),
        ].join('\n'),
        ...(names.length > 0 ? { facts: [{ type: 'ToolsLoaded' as const, data: { names, callId } }] } : {}),
      };
    },
  });

/** Tools that are found on demand. */
export const discoveryPack: ToolPack = { name: 'discovery', tools: [searchToolsBy()] };

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : line;
}
