import { renderBlock } from '../extraction/readable-text.js';
import { introducesList } from '../format/block-builder.js';
import type { Block } from '../format/source-document.js';
import { segmentSentences } from '../sentence/segment-sentences.js';
import { estimateTokens } from './estimate-tokens.js';

/** The smallest piece that is never cut: a block, or a sentence of a block that is longer than a chunk. */
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
  /** Where it begins in its first block and ends in its last. */
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly text: string;
  /** The end of the chunk before, repeated for its context. */
  readonly overlap: string;
  readonly tokens: number;
}

export interface ChunkOptions {
  readonly maxTokens: number;
  /** Tokens of the chunk before that are repeated. */
  readonly overlap: number;
}

/** A section that would leave less than this share of a chunk filled does not begin a new one. */
const MIN_FILL = 0.35;

/**
 * Cuts blocks into chunks of at most `maxTokens` (estimated). Cuts fall between sections where they can, else between
 * blocks, and inside a block only between sentences; a heading stays with what follows it, and so does the sentence that
 * leads over to a list. A single sentence or table row longer than a chunk makes a chunk of its own.
 */
export function cutChunks(blocks: readonly Block[], { maxTokens, overlap }: ChunkOptions): Chunk[] {
  const groups: Unit[][] = [];
  let open: Unit[] = [];
  let filled = 0;
  const close = (): void => {
    const keep = stickyTail(open, blocks);
    const done = open.slice(0, open.length - keep.length);
    if (done.length > 0) groups.push(done);
    else if (open.length > 0) {
      groups.push(open);
      keep.length = 0;
    }
    open = keep;
    filled = tokensOf(open);
  };
  blocks.forEach((block, number) => {
    const units = unitsOf(block, number, maxTokens);
    const rest = block.kind === 'heading' ? sectionTokens(blocks, number, maxTokens) : 0;
    if (
      block.kind === 'heading' &&
      open.length > 0 &&
      filled >= maxTokens * MIN_FILL &&
      ((block.level ?? 9) <= 2 || filled + rest > maxTokens)
    )
      close();
    for (const unit of units) {
      if (open.length > 0 && filled + unit.tokens > maxTokens) close();
      if (open.length > 0 && filled + unit.tokens > maxTokens) close();
      open.push(unit);
      filled += unit.tokens;
    }
  });
  if (open.length > 0) groups.push(open);
  return groups.map((group, i) => toChunk(group, i === 0 ? '' : tailOf(groups[i - 1] ?? [], overlap)));
}

function unitsOf(block: Block, number: number, maxTokens: number): Unit[] {
  const text = renderBlock(block);
  const tokens = estimateTokens(text) + 1;
  if (tokens <= maxTokens || block.kind === 'table-row' || block.kind === 'code')
    return [{ block: number, from: 0, to: block.text.length, text, tokens }];
  return segmentSentences(block.text, block.code).map(({ from, to }) => {
    const sentence = block.text.slice(from, to);
    return { block: number, from, to, text: sentence, tokens: estimateTokens(sentence) + 1 };
  });
}

const tokensOf = (units: readonly Unit[]): number => units.reduce((sum, unit) => sum + unit.tokens, 0);

/** Tokens from a heading up to the next one, counted no further than needed. */
function sectionTokens(blocks: readonly Block[], heading: number, limit: number): number {
  let sum = 0;
  for (let i = heading; i < blocks.length && sum <= limit; i += 1) {
    const block = blocks[i];
    if (!block || (i > heading && block.kind === 'heading')) break;
    sum += estimateTokens(block.text) + 2;
  }
  return sum;
}

/** What must not stand at the end of a chunk: headings and sentences that lead over to a list. */
function stickyTail(units: readonly Unit[], blocks: readonly Block[]): Unit[] {
  let keep = 0;
  while (keep < units.length && keep < 4) {
    const unit = units[units.length - 1 - keep];
    const block = unit && blocks[unit.block];
    const leads =
      block?.kind === 'heading' ||
      (block !== undefined &&
        unit !== undefined &&
        blocks[unit.block + 1]?.leadIn === unit.block &&
        introducesList(block.text));
    if (!leads) break;
    keep += 1;
  }
  return units.slice(units.length - keep);
}

function tailOf(units: readonly Unit[], tokens: number): string {
  const sentences: string[] = [];
  let left = tokens;
  for (const unit of [...units].reverse()) {
    if (left <= 0) break;
    for (const { from, to } of segmentSentences(unit.text).reverse()) {
      const sentence = unit.text.slice(from, to);
      left -= estimateTokens(sentence);
      if (left < 0) return sentences.join(' ');
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
    tokens: tokensOf(units),
  };
}
