import { OWN_TOOLS, SEARCH_TOOLS, groupTools, type PhaseState } from '@phaseline/domain';

/** Maximum characters of tool names in the prompt. Tools beyond it can still be found by the search. */
const MAX_CHARACTERS = 6_000;

/**
 * Lists the tools on demand: one line per server with their number, and a few topics instead of names that do not fit.
 * Loading tools does not change the list, so that the server's prompt cache stays valid.
 */
export function renderToolIndex({
  start: {
    terms: { onDemand = [] },
  },
}: PhaseState): readonly string[] {
  if (onDemand.length === 0) return [];
  let room = MAX_CHARACTERS;
  const lines = groupTools(onDemand).map(({ name, tools, topics }) => {
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
    `These tools are not in your list yet. Call ${SEARCH_TOOLS} to find the ones you need; it adds them to your list for this phase.`,
    ...lines,
  ];
}
