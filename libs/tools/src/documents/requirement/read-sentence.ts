import type { Span } from '../sentence/segment-sentences.js';
import type { Finding, Judgement } from './classify-sentence.js';

/** A sentence of a block with what it obliges to. */
export interface ReadSentence {
  readonly span: Span;
  readonly text: string;
  readonly finding: Finding | undefined;
  /** Words of obligation that are none here, and why. */
  readonly leftOut?: Judgement['leftOut'];
}
