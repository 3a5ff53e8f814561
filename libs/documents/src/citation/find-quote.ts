import { createYielder } from '@phaseline/basics';
import { findPlaces, type SourceBlock, type SourceDocument } from '../source-document.js';
import { segmentSentences } from '../sentence/segment-sentences.js';
import { normalise, stripMarkup } from './normalise.js';
import { sliceVerbatim } from './slice-verbatim.js';

/** A match of a quotation in a document: its location and the words as the document has them. */
export interface Occurrence {
  readonly from: number;
  readonly to: number;
  readonly quote: string;
  /** Number of the block in which the words start. */
  readonly block: number;
}

/** Maximum occurrences that a search returns. */
const MAX_OCCURRENCES = 200;

/** An index of a document that finds quotations in it. */
export class QuoteIndex {
  private text = '';
  /** Offset of each block in `text`. */
  private readonly starts: number[] = [];
  private readonly loose: boolean;
  /** Offsets of the most recently used block: occurrences of a quotation are mostly in the same block. */
  private cachedOffsets: { readonly block: number; readonly offsets: readonly number[] } | undefined;

  constructor(
    readonly document: SourceDocument,
    isPreparedLater = false,
  ) {
    this.loose = document.format === 'pdf';
    if (!isPreparedLater) runSteps(this.prepareBlocks());
  }

  /** Builds an index like the constructor, but yields to the event loop meanwhile. */
  static async prepare(document: SourceDocument): Promise<QuoteIndex> {
    const index = new QuoteIndex(document, true);
    await runStepsInSlices(index.prepareBlocks());
    return index;
  }

  /** Yields after each block. */
  private *prepareBlocks(): Generator<void, void, undefined> {
    const parts: string[] = [];
    let length = 0;
    for (const block of this.document.blocks) {
      yield;
      this.starts.push(length);
      const { text } = normalise(block.text, { ignoreSpacing: this.loose });
      parts.push(text);
      length += text.length + (this.loose ? 0 : 1);
    }
    this.text = parts.join(this.loose ? '' : ' ');
  }

  /** Finds the words of a quotation, in order and without gaps. Returns an empty list when they do not occur. */
  find(quote: string): Occurrence[] {
    for (const form of new Set([quote, stripMarkup(quote)])) {
      const found = this.findOccurrences(form);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Finds a quotation in the block that it was taken from. */
  findInBlock(quote: string, block: number): Occurrence | undefined {
    const from = this.starts[block];
    const to = this.starts[block + 1] ?? this.text.length + 1;
    if (from === undefined) return undefined;
    const { text: needle } = normalise(quote, { ignoreSpacing: this.loose });
    for (
      let at = this.text.indexOf(needle, from);
      needle !== '' && at >= 0 && at + needle.length <= to;
      at = this.text.indexOf(needle, at + 1)
    ) {
      const found = this.buildOccurrence(at, needle.length, needle);
      if (found) return found;
    }
    return undefined;
  }

  private findOccurrences(quote: string): Occurrence[] {
    const { text: needle } = normalise(quote, { ignoreSpacing: this.loose });
    if (!/[\p{L}\p{N}]/u.test(needle)) return [];
    const found: Occurrence[] = [];
    for (
      let at = this.text.indexOf(needle);
      at >= 0 && found.length < MAX_OCCURRENCES;
      at = this.text.indexOf(needle, at + 1)
    ) {
      const occurrence = this.buildOccurrence(at, needle.length, needle);
      if (occurrence) found.push(occurrence);
    }
    return found;
  }

  private buildOccurrence(at: number, length: number, needle: string): Occurrence | undefined {
    const first = this.findBlock(at);
    const last = this.findBlock(at + length - 1);
    const start = this.toOriginalOffset(first, at);
    const end = this.toOriginalOffset(last, at + length - 1) + 1;
    const firstBlock = this.document.blocks[first];
    const lastBlock = this.document.blocks[last];
    if (!firstBlock || !lastBlock) return undefined;
    // A quotation must start and end at word boundaries: "may" does not occur in "mayor".
    if (cutsWord(firstBlock.text, start - 1, needle.charAt(0)) || cutsWord(lastBlock.text, end, needle.at(-1) ?? ''))
      return undefined;
    const parts = this.document.blocks
      .slice(first, last + 1)
      .map((block, i, all) =>
        sliceVerbatim(this.document, block, i === 0 ? start : 0, i === all.length - 1 ? end : block.text.length),
      );
    return {
      from: findPlaces(firstBlock, start, firstBlock === lastBlock ? end : firstBlock.text.length).from,
      to: findPlaces(lastBlock, firstBlock === lastBlock ? start : 0, end).to,
      quote: parts.join(' '),
      block: first,
    };
  }

  private findBlock(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private toOriginalOffset(block: number, offset: number): number {
    if (this.cachedOffsets?.block !== block) {
      const { offsets } = normalise(this.document.blocks[block]?.text ?? '', { ignoreSpacing: this.loose });
      this.cachedOffsets = { block, offsets };
    }
    return this.cachedOffsets.offsets[offset - (this.starts[block] ?? 0)] ?? 0;
  }

  /** Returns the sentence that shares the most words with a quotation, if it shares at least half of them. */
  findNearest(quote: string): Occurrence | undefined {
    return runSteps(this.searchNearest(quote));
  }

  /** Like `nearest`, but yields to the event loop meanwhile. */
  findNearestInSlices(quote: string): Promise<Occurrence | undefined> {
    return runStepsInSlices(this.searchNearest(quote));
  }

  /** Yields after each block. */
  private *searchNearest(quote: string): Generator<void, Occurrence | undefined, undefined> {
    const wanted = collectWords(stripMarkup(quote));
    if (wanted.size === 0) return undefined;
    let best: { block: SourceBlock; number: number; score: number } | undefined;
    for (const [number, block] of this.document.blocks.entries()) {
      yield;
      const score = computeSharedFraction(wanted, collectWords(block.text));
      if (score >= 0.5 && score > (best?.score ?? 0)) best = { block, number, score };
    }
    if (!best) return undefined;
    const { block, number } = best;
    const [span] = segmentSentences(block.text, block.code)
      .map((candidate) => ({
        ...candidate,
        score: computeSharedFraction(wanted, collectWords(block.text.slice(candidate.from, candidate.to))),
      }))
      .sort((a, b) => b.score - a.score);
    const { from, to } = span ?? { from: 0, to: block.text.length };
    return { ...findPlaces(block, from, to), quote: sliceVerbatim(this.document, block, from, to), block: number };
  }
}

function runSteps<Result>(steps: Generator<void, Result, undefined>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

async function runStepsInSlices<Result>(steps: Generator<void, Result, undefined>): Promise<Result> {
  const yieldIfDue = createYielder();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = yieldIfDue();
    if (pause) await pause;
  }
}

function cutsWord(text: string, at: number, neighbour: string): boolean {
  return /[\p{L}\p{N}]/u.test(neighbour) && at >= 0 && /[\p{L}\p{N}]/u.test(text.charAt(at));
}

function collectWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

function computeSharedFraction(wanted: ReadonlySet<string>, found: ReadonlySet<string>): number {
  let common = 0;
  for (const word of wanted) if (found.has(word)) common += 1;
  return common / wanted.size;
}
