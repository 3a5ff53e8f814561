/** A group of tools on demand: those of one MCP server, or the agent's own. */
export interface ToolCategory {
  /** Name of the server, or OWN_TOOLS. */
  readonly name: string;
  readonly tools: readonly CategoryTool[];
  /** Words from the tools' names that distinguish this category from others, most characteristic first. */
  readonly topics: readonly string[];
}

interface CategoryTool {
  /** Name for the model. */
  readonly name: string;
  /** The name without its server. */
  readonly short: string;
}

/** Category of tools that belong to no MCP server. Server names have no underscore, so none collides with it. */
export const OWN_TOOLS = 'own_tools';
const SERVER_TOOL = /^mcp__(.+?)__(.+)$/;
const MAX_TOPICS = 4;

/** Groups tools by server, in the order of the first tool of each server. */
export function groupTools(names: readonly string[]): readonly ToolCategory[] {
  const groups = new Map<string, CategoryTool[]>();
  for (const name of names) {
    const [, server = OWN_TOOLS, short = name] = SERVER_TOOL.exec(name) ?? [];
    const group = groups.get(server);
    if (group) group.push({ name, short });
    else groups.set(server, [{ name, short }]);
  }
  const words = [...groups].map(([name, tools]) => ({ name, tools, counts: countWords(tools) }));
  const categoriesPerWord = new Map<string, number>();
  for (const key of words.flatMap(({ counts }) => [...counts.keys()]))
    categoriesPerWord.set(key, (categoriesPerWord.get(key) ?? 0) + 1);
  return words.map(({ name, tools, counts }) => ({
    name,
    tools,
    topics: topicsOf(name, counts, categoriesPerWord, words.length),
  }));
}

interface WordCount {
  readonly word: string;
  readonly tools: number;
}

/** Counts the words in tool names, per word the number of tools that contain it. Singular and plural count as one word. */
function countWords(tools: readonly CategoryTool[]): ReadonlyMap<string, WordCount> {
  const counts = new Map<string, WordCount>();
  for (const { short } of tools) {
    const words = short
      .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 2);
    for (const [key, word] of new Map(words.map((one) => [toSingular(one), one])))
      counts.set(key, { word: counts.get(key)?.word ?? word, tools: (counts.get(key)?.tools ?? 0) + 1 });
  }
  return counts;
}

/** Selects the topics of a category. Verbs such as `get` occur in most categories, so a word counts less the more categories have it. */
function topicsOf(
  category: string,
  counts: ReadonlyMap<string, WordCount>,
  categoriesPerWord: ReadonlyMap<string, number>,
  categories: number,
): readonly string[] {
  return [...counts]
    .filter(([key]) => key !== toSingular(category))
    .map(([key, { word, tools }]) => ({ word, score: tools * Math.log(1 + categories / categoriesPerWord.get(key)!) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_TOPICS)
    .map(({ word }) => word);
}

function toSingular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}
