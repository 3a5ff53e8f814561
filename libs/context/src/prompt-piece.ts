import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChatMessage } from '@phaseline/contracts';
import { countMessageTokens } from './count-prompt-tokens.js';

/** A piece of the prompt with its token count. The digests of all pieces, in order, are what the hash of the prompt covers. */
export interface Piece<Content> {
  readonly content: Content;
  readonly tokens: number;
  /** SHA-256 of the content; of a piece that consists of several, their digests one after the other. */
  readonly digest: Buffer;
}

/**
 * Token counts by digest. Most steps repeat the system prompt and the todo list of the last one, and counting them takes longer than the rest of the
 * prompt. Without the texts, so that nothing of an erased job stays in memory.
 */
const tokenCounts = new LRUCache<string, number>({ max: 4_096 });

export function buildPiece<Messages extends readonly ChatMessage[]>(content: Messages): Piece<Messages> {
  const digest = digestOf(content);
  const key = digest.toString('base64');
  const tokens = tokenCounts.get(key) ?? content.reduce((total, message) => total + countMessageTokens(message), 0);
  tokenCounts.set(key, tokens);
  return { content, tokens, digest };
}

export function digestOf(content: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
