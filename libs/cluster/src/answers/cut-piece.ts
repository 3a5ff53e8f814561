import type { AnswerPiece } from '@phaseline/contracts';
import { MAX_PAYLOAD_BYTES } from './answer-channels.js';

/** An answer of which a part was sent. */
interface PartlySentAnswer {
  readonly text: string;
  /** Number of characters (UTF-16 code units) that were sent. */
  readonly sent: number;
  readonly hasEnded: boolean;
}

/** Returns the next piece of an answer as a payload of limited size, and how many characters are sent with it. */
export function cutPiece(
  call: Omit<AnswerPiece, 'offset' | 'text' | 'hasEnded'>,
  { text, sent, hasEnded }: PartlySentAnswer,
): { readonly payload: string; readonly sent: number } {
  for (let length = Math.min(text.length - sent, MAX_PAYLOAD_BYTES); ; length = Math.floor(length / 2)) {
    const end = sent + length;
    const isLast = hasEnded && end === text.length;
    const piece: AnswerPiece = {
      ...call,
      offset: sent,
      text: text.slice(sent, end),
      ...(isLast ? { hasEnded: true } : {}),
    };
    // JSON writes half of a surrogate pair as an escape, so a piece may end anywhere.
    const payload = JSON.stringify(piece);
    if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return { payload, sent: end };
  }
}
