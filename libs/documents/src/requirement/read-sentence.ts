import type { Span } from '../sentence/segment-sentences.js';
import type { Finding, SentenceResult } from './classify-sentence.js';

/** A sentence of a block with its classification. */
export interface ReadSentence {
  readonly span: Span;
  readonly text: string;
  readonly finding: Finding | undefined;
  /** Words of obligation that do not count, with the reason. */
  readonly omitted?: SentenceResult['omitted'];
}
