import { OWN_TOOLS, SEARCH_TOOLS, toolCategories, type PhaseState } from '@phaseline/domain';

/** Names of tools beyond this are not in the prompt; the search finds them all the same. */
const MAX_CHARACTERS = 6_000;

/**
 * The names of the tools that are found on demand: a line for each server with their number, and a few topics in place of names for
 * which there is no room. It stays as it is when some of them are loaded, so that the server's prompt cache keeps what is behind it.
 */
export function toolIndexPart({ start: { onDemand = [] } }: PhaseState): readonly string[] {
  if (onDemand.length === 0) return [];
  let room = MAX_CHARACTERS;
  const lines = toolCategories(onDemand).map(({ name, tools, topics }) => {
    const shown: string[] = [];
    for (const { short } of tools) {
      room -= short.length + 2;
      if (room >= 0) shown.push(short);
    }
    const left = tools.length - shown.length;
    const rest = left > 0 ? [`${shown.length > 0 ? 'and ' : ''}${left} more about ${topics.join(', ')}`] : [];
    const label = name === OWN_TOOLS ? '' : `mcp__${name}__ (${tools.length}): `;
    return `- ${label}${[...shown, ...rest].join(', ')}`;
  });
  return [
    '',
    '## More tools',
    `These exist too and are not in your list yet. ${SEARCH_TOOLS} finds what you need and adds it to your list, for this phase.`,
    ...lines,
  ];
}
