/** A group of tools that are found on demand: those of one MCP server, or the agent's own. */
export interface ToolCategory {
  /** Name of the server, or OWN_TOOLS. */
  readonly name: string;
  readonly tools: readonly CategoryTool[];
  /** A few words of the tools' names that tell this category from the others, the most frequent first. */
  readonly topics: readonly string[];
}

export interface CategoryTool {
  /** What the model calls it. */
  readonly name: string;
  /** The name without its server. */
  readonly short: string;
}

/** Category of the tools that belong to no MCP server. Names of servers have no underscore, so none has this name. */
export const OWN_TOOLS = 'own_tools';
const SERVER_TOOL = /^mcp__(.+?)__(.+)$/;
const MAX_TOPICS = 4;

/** Groups tools by server, in the order in which the first tool of each server is given. */
export function toolCategories(names: readonly string[]): readonly ToolCategory[] {
  const groups = new Map<string, CategoryTool[]>();
  for (const name of names) {
    const [, server = OWN_TOOLS, short = name] = SERVER_TOOL.exec(name) ?? [];
    const group = groups.get(server);
    if (group) group.push({ name, short });
    else groups.set(server, [{ name, short }]);
  }
  const words = [...groups].map(([name, tools]) => ({ name, tools, counts: countWords(tools) }));
  const holders = new Map<string, number>();
  for (const key of words.flatMap(({ counts }) => [...counts.keys()])) holders.set(key, (holders.get(key) ?? 0) + 1);
  return words.map(({ name, tools, counts }) => ({
    name,
    tools,
    topics: topicsOf(name, counts, holders, words.length),
  }));
}

interface WordCount {
  readonly word: string;
  readonly tools: number;
}

/** The words in names of tools, each with the number of tools that have it. Singular and plural are one word. */
function countWords(tools: readonly CategoryTool[]): ReadonlyMap<string, WordCount> {
  const counts = new Map<string, WordCount>();
  for (const { short } of tools) {
    const words = short
      .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 2);
    for (const [key, word] of new Map(words.map((one) => [singular(one), one])))
      counts.set(key, { word: counts.get(key)?.word ?? word, tools: (counts.get(key)?.tools ?? 0) + 1 });
  }
  return counts;
}

/** Verbs such as `get` and `list` stand in most categories, so a word counts less the more categories have it. */
function topicsOf(
  category: string,
  counts: ReadonlyMap<string, WordCount>,
  holders: ReadonlyMap<string, number>,
  categories: number,
): readonly string[] {
  return [...counts]
    .filter(([key]) => key !== singular(category))
    .map(([key, { word, tools }]) => ({ word, score: tools * Math.log(1 + categories / holders.get(key)!) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_TOPICS)
    .map(({ word }) => word);
}

function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}
