import { clip, toSingleLine } from '@phaseline/basics';
import { discoverySpec } from '@phaseline/pack-specs';
import { implementPack, type ToolRun } from '@phaseline/tools';
import { groupTools, type ToolCategory } from '@phaseline/domain';
import { ToolIndex } from './rank-tools.js';

/** Characters of a description that the result shows; the tool list has the full description. */
const MAX_DESCRIPTION_CHARACTERS = 160;
const MAX_LISTED_CATEGORIES = 40;
/** Characters of tool names that one result lists; a server may have a thousand tools. */
const MAX_LISTED_CHARACTERS = 2_000;

export const searchTools: ToolRun<typeof discoverySpec, 'search_tools'> = async (
  { state, callId, specsOf },
  { query, category, limit },
) => {
  const { onDemand = [] } = state.start.terms;
  const categories = groupTools(onDemand);
  const chosen = category === undefined ? undefined : findCategory(categories, category);
  const searched = chosen ? chosen.tools.map(({ name }) => name) : onDemand;
  const index = new ToolIndex((specsOf?.(searched) ?? []).map(({ definition }) => definition));
  const found = index.search(query, limit).map(({ tool }) => tool);
  const names = found.map(({ name }) => name);
  const next = chosen ? listTools(chosen, names) : listCategories(categories, names);
  // Search everything when the category does not exist, so that the model need not search again.
  const missed =
    category !== undefined && chosen === undefined
      ? ['The category does not exist, so all categories were searched.']
      : [];
  if (found.length === 0)
    return {
      content: [...missed, 'No tool found. Try other words, such as a verb and an object.', ...next].join('\n'),
    };
  const loaded = new Set(state.conversation.loadedTools);
  const added = names.filter((name) => !loaded.has(name));
  return {
    content: [
      ...missed,
      'Added to your list, best match first:',
      ...found.map(({ name, description }) => `- ${name}: ${shortenDescription(description)}`),
      ...next,
    ].join('\n'),
    ...(added.length > 0 ? { events: [{ type: 'ToolsLoaded' as const, data: { names: added, callId } }] } : {}),
  };
};

/** Tool that finds on-demand tools. */
export const discoveryPack = implementPack(discoverySpec, { search_tools: searchTools });

/** Finds a category by its name or by the name prefix of its tools, which is what the prompt shows. */
function findCategory(categories: readonly ToolCategory[], wanted: string): ToolCategory | undefined {
  const name = wanted
    .trim()
    .toLowerCase()
    .replace(/^mcp__|_+$/g, '');
  return categories.find((one) => one.name === name);
}

/** Lists the categories in one line. If there is only one, lists its tools instead, and only when the search found nothing. */
function listCategories(categories: readonly ToolCategory[], found: readonly string[]): readonly string[] {
  const [only] = categories;
  if (!only) return [];
  if (categories.length === 1) return found.length === 0 ? listTools(only, found) : [];
  const shown = categories
    .slice(0, MAX_LISTED_CATEGORIES)
    .map(({ name, tools, topics }) => `${name} (${[tools.length, ...topics].join(', ')})`);
  const more = categories.length - shown.length;
  return [`Categories with their number of tools: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`];
}

/** Names the tools of a category that the search did not find, so that a second search can use the right name. */
function listTools({ name, tools }: ToolCategory, found: readonly string[]): readonly string[] {
  const others = tools.filter((tool) => !found.includes(tool.name));
  const shown: string[] = [];
  let room = MAX_LISTED_CHARACTERS;
  for (const { short } of others) {
    room -= short.length + 2;
    if (room < 0) break;
    shown.push(short);
  }
  if (shown.length === 0) return [];
  const more = others.length - shown.length;
  return [`Other tools of ${name}: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`];
}

function shortenDescription(text: string): string {
  return clip(toSingleLine(text), MAX_DESCRIPTION_CHARACTERS);
}
