import { clip } from '@phaseline/basics';
import { cacheSpec, REQUIREMENT_STATUSES } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import type { OpenCache } from './cache-options.js';

const MAX_PREVIEW_CHARACTERS = 200;

export function listCachedRequirements(open: OpenCache): ToolRun<typeof cacheSpec, 'list_cached_requirements'> {
  return async (context, { status, contains, after, limit }) => {
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
        ...(found.length > limit
          ? [`More entries exist. To get the next page, call again with after ${page.at(-1)?.entry ?? after}.`]
          : []),
      ].join('\n'),
    };
  };
}
