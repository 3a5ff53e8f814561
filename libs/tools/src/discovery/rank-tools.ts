import type { ToolDefinition } from '@phaseline/domain';
import { requestWords, type ReadRequest, type Wanted } from './request-words.js';
import { wordsOf } from './words-of.js';

interface Field {
  readonly weight: number;
  /** How much the length of the field counts, 0 to 1. */
  readonly b: number;
  of(tool: ToolDefinition): string;
}

/**
 * BM25 over fields (BM25F): the counts of a word in the fields of a tool are added up by weight, each measured against the usual
 * length of its field, before they saturate. Weights and constants were chosen on the requests in test/mcp-servers/requests/dev.txt.
 */
const FIELDS: readonly Field[] = [
  { weight: 3, b: 0.3, of: ({ name }: ToolDefinition) => name },
  { weight: 1.5, b: 0.5, of: ({ description }: ToolDefinition) => firstSentence(description) },
  { weight: 0.7, b: 0.75, of: ({ description }: ToolDefinition) => description },
  { weight: 0.4, b: 0.75, of: ({ parameters }: ToolDefinition) => parameterText(parameters) },
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

/** An index over tools, in memory. The same tools and the same request give the same order, on any worker. */
export class ToolIndex {
  private readonly entries: readonly Entry[];
  private readonly usualLengths: readonly number[];
  private readonly holders = new Map<string, number>();

  constructor(
    tools: readonly ToolDefinition[],
    private readonly read: ReadRequest = requestWords,
  ) {
    this.entries = tools.map((tool) => entryOf(tool));
    this.usualLengths = FIELDS.map(
      (_field, index) => this.entries.reduce((sum, { lengths }) => sum + lengths[index]!, 0) / (tools.length || 1) || 1,
    );
    for (const { counts } of this.entries)
      for (const word of new Set(counts.flatMap((one) => [...one.keys()])))
        this.holders.set(word, (this.holders.get(word) ?? 0) + 1);
  }

  /** The tools that share words with the request, best first; of equal ones, the one that was given first. */
  search(request: string, limit: number): readonly RankedTool[] {
    const wanted = this.read(request);
    return this.entries
      .map((entry) => ({
        tool: entry.tool,
        // Of words that mean the same, the one that says most counts, not their sum.
        score: wanted.reduce((sum, group) => sum + Math.max(...group.map((one) => this.score(entry, one))), 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit);
  }

  private score({ counts, lengths }: Entry, { word, weight }: Wanted): number {
    const holders = this.holders.get(word);
    if (holders === undefined) return 0;
    // What only means the same is not looked for in parameters: they are long, and speak of much that the tool is not for.
    const fields = weight < 1 ? FIELDS.slice(0, -1) : FIELDS;
    const count = fields.reduce((sum, { weight: ofField, b }, index) => {
      const found = counts[index]!.get(word);
      if (found === undefined) return sum;
      return sum + (ofField * found) / (1 - b + (b * lengths[index]!) / this.usualLengths[index]!);
    }, 0);
    const rarity = Math.log(1 + (this.entries.length - holders + 0.5) / (holders + 0.5));
    return (weight * rarity * count * (K1 + 1)) / (K1 + count);
  }
}

function entryOf(tool: ToolDefinition): Entry {
  const words = FIELDS.map(({ of }) => wordsOf(of(tool)));
  const counts = words.map((list) => {
    const count = new Map<string, number>();
    for (const word of list) count.set(word, (count.get(word) ?? 0) + 1);
    return count;
  });
  return { tool, counts, lengths: words.map(({ length }) => length) };
}

function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

/** Names and descriptions of parameters, at any depth of the schema. */
function parameterText(schema: unknown, depth = 0): string {
  if (typeof schema !== 'object' || schema === null || depth > 6) return '';
  if (Array.isArray(schema)) return schema.map((one) => parameterText(one, depth + 1)).join(' ');
  const { properties, description, ...rest } = schema as Record<string, unknown>;
  const inner = Object.values(rest).map((one) => parameterText(one, depth + 1));
  const own = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const named = own.map(([name, one]) => `${name} ${parameterText(one, depth + 1)}`);
  return [typeof description === 'string' ? description : '', ...named, ...inner].join(' ');
}
