import type { ToolDefinition } from '@phaseline/contracts';
import { parseWithSynonyms, type RequestParser, type SearchTerm } from './parse-request.js';
import { extractSearchWords } from './extract-search-words.js';

interface Field {
  readonly weight: number;
  /** Length normalisation of BM25, from 0 (none) to 1 (full). */
  readonly b: number;
  of(tool: ToolDefinition): string;
}

/**
 * Fields of a tool for BM25F: the term counts of the fields are normalised by average field length, weighted and added up before
 * they saturate. Weights and constants were tuned on the requests in test/mcp-servers/requests/dev.txt.
 */
const FIELDS: readonly Field[] = [
  { weight: 3, b: 0.3, of: ({ name }: ToolDefinition) => name },
  { weight: 1.5, b: 0.5, of: ({ description }: ToolDefinition) => takeFirstSentence(description) },
  { weight: 0.7, b: 0.75, of: ({ description }: ToolDefinition) => description },
  { weight: 0.4, b: 0.75, of: ({ parameters }: ToolDefinition) => collectParameterText(parameters) },
];
const K1 = 1.2;
interface Entry {
  readonly tool: ToolDefinition;
  readonly counts: readonly ReadonlyMap<string, number>[];
  readonly lengths: readonly number[];
}

export interface RankedTool {
  readonly tool: ToolDefinition;
  readonly score: number;
}

/** In-memory search index of tools. The same tools and request give the same order on every worker. */
export class ToolIndex {
  private readonly entries: readonly Entry[];
  private readonly averageLengths: readonly number[];
  private readonly toolsPerWord = new Map<string, number>();

  constructor(
    tools: readonly ToolDefinition[],
    private readonly read: RequestParser = parseWithSynonyms,
  ) {
    this.entries = tools.map((tool) => buildEntry(tool));
    this.averageLengths = FIELDS.map(
      (_field, index) => this.entries.reduce((sum, { lengths }) => sum + lengths[index]!, 0) / (tools.length || 1) || 1,
    );
    for (const { counts } of this.entries)
      for (const word of new Set(counts.flatMap((one) => [...one.keys()])))
        this.toolsPerWord.set(word, (this.toolsPerWord.get(word) ?? 0) + 1);
  }

  /** Returns the tools that match the request, best first. Tools with equal scores keep their given order. */
  search(request: string, limit: number): readonly RankedTool[] {
    const wanted = this.read(request);
    return this.entries
      .map((entry) => ({
        tool: entry.tool,
        // Synonyms count once: the best score of the group, not the sum.
        score: wanted.reduce((sum, group) => sum + Math.max(...group.map((one) => this.score(entry, one))), 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit);
  }

  private score({ counts, lengths }: Entry, { word, weight }: SearchTerm): number {
    const toolsWithWord = this.toolsPerWord.get(word);
    if (toolsWithWord === undefined) return 0;
    // Synonyms do not match parameters, which are long and mention many things unrelated to the tool's purpose.
    const fields = weight < 1 ? FIELDS.slice(0, -1) : FIELDS;
    const count = fields.reduce((sum, { weight: fieldWeight, b }, index) => {
      const found = counts[index]!.get(word);
      if (found === undefined) return sum;
      return sum + (fieldWeight * found) / (1 - b + (b * lengths[index]!) / this.averageLengths[index]!);
    }, 0);
    const rarity = Math.log(1 + (this.entries.length - toolsWithWord + 0.5) / (toolsWithWord + 0.5));
    return (weight * rarity * count * (K1 + 1)) / (K1 + count);
  }
}

function buildEntry(tool: ToolDefinition): Entry {
  const words = FIELDS.map(({ of }) => extractSearchWords(of(tool)));
  const counts = words.map((list) => {
    const count = new Map<string, number>();
    for (const word of list) count.set(word, (count.get(word) ?? 0) + 1);
    return count;
  });
  return { tool, counts, lengths: words.map(({ length }) => length) };
}

function takeFirstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

/** Returns the names and descriptions of all parameters in a schema, nested ones included. */
function collectParameterText(schema: unknown, depth = 0): string {
  if (typeof schema !== 'object' || schema === null || depth > 6) return '';
  if (Array.isArray(schema)) return schema.map((one) => collectParameterText(one, depth + 1)).join(' ');
  const { properties, description, ...rest } = schema as Record<string, unknown>;
  const inner = Object.values(rest).map((one) => collectParameterText(one, depth + 1));
  const own = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const named = own.map(([name, one]) => `${name} ${collectParameterText(one, depth + 1)}`);
  return [typeof description === 'string' ? description : '', ...named, ...inner].join(' ');
}
