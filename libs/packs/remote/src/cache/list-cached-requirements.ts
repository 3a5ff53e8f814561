import { clip } from '@phaseline/basics';
import { z } from 'zod';
import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import type { OpenCache } from './cache-options.js';
import { REQUIREMENT_STATUSES } from './requirement-cache.js';

const MAX_PREVIEW_CHARACTERS = 200;

const input = z.strictObject({
  status: z.enum(REQUIREMENT_STATUSES).optional(),
  contains: z.string().min(1).max(200).optional().describe('Words that the text or the id must hold.'),
  after: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('The last entry of the page before, for the next one.'),
  limit: z.int().min(1).max(200).default(50),
});

export function listCachedRequirements(open: OpenCache): RemoteTool {
  return defineRemoteTool<z.infer<typeof input>>({
    name: 'list_cached_requirements',
    description:
      'Counts the requirements in the cache by status and lists them, without claiming any. Use it to see what is handed over, what waits and what failed.',
    input,
    effect: 'pure',
    timeoutMs: 30_000,
    async run(context, { status, contains, after, limit }) {
      const { cache, call } = await open(context);
      const counts = await cache.countByStatus(call.collection);
      // One more than requested, to know whether there is a next page.
      const found = await cache.list(call.collection, { status, contains, after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const lines = page.map(
        ({ entry, id, status: current, token, text, note }) =>
          `- ${entry} ${id} ${current}${token > 0 ? ` (claimed ${token}×)` : ''}: ${clip(text, MAX_PREVIEW_CHARACTERS)}${note === undefined ? '' : ` [${note.slice(0, MAX_PREVIEW_CHARACTERS).toWellFormed()}]`}`,
      );
      return {
        content: [
          REQUIREMENT_STATUSES.map((name) => `${name}: ${counts[name]}`).join(', '),
          ...lines,
          ...(found.length > limit ? [`There are more: call again with after ${page.at(-1)?.entry ?? after}.`] : []),
        ].join('\n'),
      };
    },
  });
}
