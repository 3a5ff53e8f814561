import { SEARCH_TOOLS, type PhaseState } from '@phaseline/domain';

/** Names of tools beyond this are not in the prompt; the search finds them all the same. */
const MAX_CHARACTERS = 6_000;
const GROUPED = /^mcp__(.+?)__(.+)$/;

/**
 * The names of the tools that are found on demand, a line for each server. It stays as it is when some of them are loaded, so that
 * the server's prompt cache keeps what is behind it.
 */
export function toolIndexPart({ start: { onDemand = [] } }: PhaseState): readonly string[] {
  if (onDemand.length === 0) return [];
  const groups = new Map<string, string[]>();
  let room = MAX_CHARACTERS;
  let left = 0;
  for (const name of onDemand) {
    const [, server = '', short = name] = GROUPED.exec(name) ?? [];
    room -= short.length + 2;
    if (room < 0) left += 1;
    else groups.set(server, [...(groups.get(server) ?? []), short]);
  }
  return [
    '',
    '## More tools',
    `These exist too and are not in your list yet. ${SEARCH_TOOLS} finds what you need and adds it to your list, for this phase.`,
    ...[...groups].map(([server, names]) => `- ${server === '' ? '' : `mcp__${server}__: `}${names.join(', ')}`),
    ...(left > 0 ? [`- and ${left} more`] : []),
  ];
}
