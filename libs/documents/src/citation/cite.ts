import { clip } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { describeLocation } from '../describe-location.js';
import { UNIT_BY_FORMAT } from '../source-document.js';
import type { Location } from '../requirement/candidate.js';
import type { Occurrence, QuoteIndex } from './find-quote.js';

/** A document that is searched for quotations. */
export interface CitedSource {
  readonly path: string;
  /** SHA-256 of the document's bytes in hex. */
  readonly sha256: string;
  readonly index: QuoteIndex;
}

/** A verified quotation: its words were found in the source. */
export interface Citation {
  readonly document: string;
  readonly lines?: Place | undefined;
  readonly pages?: Place | undefined;
  readonly paragraphs?: Place | undefined;
  /** The exact words of the source. */
  readonly quote: string;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

export interface Quotation {
  readonly quote: string;
  /** Claimed location of the words; anywhere if absent. */
  readonly place?: Place | undefined;
  /** Number of the block that the words were taken from, if known. Distinguishes equal words on one page. */
  readonly block?: number | undefined;
}

export interface CitationResult {
  readonly citation: Citation;
  readonly block: number;
  /** Other locations of the same words. */
  readonly others: readonly Location[];
}

/**
 * Checks that a quotation occurs in the source at the claimed location. Paraphrases are rejected: every word must match, in order
 * and without gaps; only layout, typography and markup may differ.
 *
 * Throws `quote_not_found` with the actual location of the words or the nearest match.
 */
export function cite(source: CitedSource, wanted: Quotation): CitationResult {
  const { index } = source;
  const known = wanted.block === undefined ? undefined : index.findInBlock(wanted.quote, wanted.block);
  const found = known ? [known] : index.find(wanted.quote);
  const [first] = found;
  if (!first) throw createQuoteNotFoundError(source, wanted.quote);
  const hit = wanted.place ? found.find((occurrence) => overlaps(occurrence, wanted.place as Place)) : first;
  if (!hit) {
    const places = found.slice(0, 5).map((occurrence) => describeLocation(toLocation(source, occurrence)));
    const claimed = describeLocation(toLocation(source, wanted.place as Place));
    throw new ToolError(
      'quote_not_found',
      `The quotation is not on ${claimed} of '${source.path}', but on ${places.join(', ')}. Cite that location.`,
    );
  }
  return {
    citation: { document: source.path, ...toLocation(source, hit), quote: hit.quote },
    block: hit.block,
    others: found
      .filter((occurrence) => occurrence !== hit)
      .slice(0, 10)
      .map((occurrence) => toLocation(source, occurrence)),
  };
}

function overlaps(occurrence: Occurrence, place: Place): boolean {
  return occurrence.from <= place.to && place.from <= occurrence.to;
}

function toLocation({ index }: CitedSource, { from, to }: Place): Location {
  const unit = UNIT_BY_FORMAT[index.document.format];
  const place = { from, to };
  return unit === 'line' ? { lines: place } : unit === 'page' ? { pages: place } : { paragraphs: place };
}

/** Builds the `quote_not_found` error, with the nearest match in the source. */
export function createQuoteNotFoundError(
  source: CitedSource,
  quote: string,
  nearest: Occurrence | undefined = source.index.findNearest(quote),
): ToolError {
  const hint = nearest
    ? `The most similar passage is on ${describeLocation(toLocation(source, nearest))}: "${clip(nearest.quote, 400)}". If you mean this passage, quote it exactly.`
    : 'The document contains nothing similar. Search the extracted text and quote it exactly.';
  return new ToolError('quote_not_found', `The quotation "${clip(quote, 400)}" is not in '${source.path}'. ${hint}`);
}
