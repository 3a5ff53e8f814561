import { renderBlock } from '../extraction/readable-text.js';
import { introducesList } from '../block-builder.js';
import type { Block } from '../source-document.js';
import { segmentSentences } from '../sentence/segment-sentences.js';
import { estimateTokens } from './estimate-tokens.js';

/** A piece that is never cut: a block, or a sentence of a block that is longer than a chunk. */
interface Unit {
  readonly block: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly tokens: number;
}

export interface Chunk {
  /** Blocks `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Offset of the start in the first block. */
  readonly fromOffset: number;
  /** Offset of the end in the last block. */
  readonly toOffset: number;
  readonly text: string;
  /** End of the previous chunk, repeated as context. */
  readonly overlap: string;
  readonly tokens: number;
}

export interface ChunkOptions {
  readonly maxTokens: number;
  /** Maximum tokens repeated from the previous chunk. */
  readonly overlap: number;
}

/** Minimum fraction of a chunk that must be filled before a section starts a new chunk. */
const MIN_FILLED_FRACTION = 0.35;

/**
 * Cuts blocks into chunks of at most `maxTokens` (estimated): between sections where possible, otherwise between blocks, and within
 * a block only between sentences. A heading stays with the text that follows it, and so does the lead-in sentence of a list. A
 * single sentence or table row longer than a chunk becomes a chunk by itself.
 */
export function cutChunks(blocks: readonly Block[], { maxTokens, overlap }: ChunkOptions): Chunk[] {
  const groups: Unit[][] = [];
  let open: Unit[] = [];
  let filled = 0;
  const closeGroup = (): void => {
    const keep = findStickyTail(open, blocks);
    const done = open.slice(0, open.length - keep.length);
    if (done.length > 0) groups.push(done);
    else if (open.length > 0) {
      groups.push(open);
      keep.length = 0;
    }
    open = keep;
    filled = sumTokens(open);
  };
  blocks.forEach((block, number) => {
    const units = splitBlock(block, number, maxTokens);
    const rest = block.kind === 'heading' ? countSectionTokens(blocks, number, maxTokens) : 0;
    if (
      block.kind === 'heading' &&
      open.length > 0 &&
      filled >= maxTokens * MIN_FILLED_FRACTION &&
      ((block.level ?? 9) <= 2 || filled + rest > maxTokens)
    )
      closeGroup();
    for (const unit of units) {
      if (open.length > 0 && filled + unit.tokens > maxTokens) closeGroup();
      if (open.length > 0 && filled + unit.tokens > maxTokens) closeGroup();
      open.push(unit);
      filled += unit.tokens;
    }
  });
  if (open.length > 0) groups.push(open);
  return groups.map((group, i) => toChunk(group, i === 0 ? '' : takeTail(groups[i - 1] ?? [], overlap)));
}

function splitBlock(block: Block, number: number, maxTokens: number): Unit[] {
  const text = renderBlock(block);
  const tokens = estimateTokens(text) + 1;
  if (tokens <= maxTokens || block.kind === 'table-row' || block.kind === 'code')
    return [{ block: number, from: 0, to: block.text.length, text, tokens }];
  return segmentSentences(block.text, block.code).map(({ from, to }) => {
    const sentence = block.text.slice(from, to);
    return { block: number, from, to, text: sentence, tokens: estimateTokens(sentence) + 1 };
  });
}

const sumTokens = (units: readonly Unit[]): number => units.reduce((sum, unit) => sum + unit.tokens, 0);

/** Returns the tokens from a heading up to the next one. Stops counting above `limit`. */
function countSectionTokens(blocks: readonly Block[], heading: number, limit: number): number {
  let sum = 0;
  for (let i = heading; i < blocks.length && sum <= limit; i += 1) {
    const block = blocks[i];
    if (!block || (i > heading && block.kind === 'heading')) break;
    sum += estimateTokens(block.text) + 2;
  }
  return sum;
}

/** Returns the last units that must not end a chunk: headings and lead-in sentences of lists. */
function findStickyTail(units: readonly Unit[], blocks: readonly Block[]): Unit[] {
  let keep = 0;
  while (keep < units.length && keep < 4) {
    const unit = units[units.length - 1 - keep];
    const block = unit && blocks[unit.block];
    const isSticky =
      block?.kind === 'heading' ||
      (block !== undefined &&
        unit !== undefined &&
        blocks[unit.block + 1]?.leadIn === unit.block &&
        introducesList(block.text));
    if (!isSticky) break;
    keep += 1;
  }
  return units.slice(units.length - keep);
}

/** Returns the last whole sentences that fit into the given number of tokens. */
function takeTail(units: readonly Unit[], tokens: number): string {
  const sentences: string[] = [];
  let remaining = tokens;
  for (const unit of [...units].reverse()) {
    if (remaining <= 0) break;
    for (const { from, to } of segmentSentences(unit.text).reverse()) {
      const sentence = unit.text.slice(from, to);
      remaining -= estimateTokens(sentence);
      if (remaining < 0) return sentences.join(' ');
      sentences.unshift(sentence);
    }
  }
  return sentences.join(' ');
}

function toChunk(units: readonly Unit[], overlap: string): Chunk {
  const first = units[0];
  const last = units.at(-1);
  let text = '';
  units.forEach((unit, i) => {
    const before = units[i - 1];
    text += before === undefined ? unit.text : before.block === unit.block ? ` ${unit.text}` : `\n\n${unit.text}`;
  });
  return {
    from: first?.block ?? 0,
    to: (last?.block ?? -1) + 1,
    fromOffset: first?.from ?? 0,
    toOffset: last?.to ?? 0,
    text,
    overlap,
    tokens: sumTokens(units),
  };
}
