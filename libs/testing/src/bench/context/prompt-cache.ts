import { promptTokens, messageTokens } from '@phaseline/context';
import type { ChatMessage, ChatRequest } from '@phaseline/domain';

/** How servers cache: prompts from this length on, by whole blocks from the beginning. */
const LEAST_TOKENS = 1_024;
const BLOCK_TOKENS = 128;

export interface CallTokens {
  readonly input: number;
  /** Of `input`, read from the cache of the call before. */
  readonly cached: number;
}

/**
 * Tokens of each request of a sequence, and how many of them a server has still read from the request before: those of the
 * common beginning, tools first, in whole blocks. Any change in the middle makes all behind it new.
 */
export function cachedTokens(requests: readonly ChatRequest[]): CallTokens[] {
  return requests.map((request, index) => {
    const before = requests[index - 1];
    const common = before ? commonTokens(before, request) : 0;
    const cached = Math.floor(common / BLOCK_TOKENS) * BLOCK_TOKENS;
    return { input: promptTokens(request), cached: cached >= LEAST_TOKENS ? cached : 0 };
  });
}

function commonTokens(before: ChatRequest, now: ChatRequest): number {
  if (!same(before.tools, now.tools)) return 0;
  let tokens = promptTokens({ messages: [], tools: now.tools });
  for (const [index, message] of now.messages.entries()) {
    const other = before.messages[index];
    if (!other) return tokens;
    if (!same(other, message)) return tokens + commonBeginning(other, message);
    tokens += messageTokens(message);
  }
  return tokens;
}

/** Of two messages of which the first differs: the part of its text that is the same. */
function commonBeginning(left: ChatMessage, right: ChatMessage): number {
  if (left.role !== right.role) return 0;
  let length = 0;
  while (length < left.content.length && left.content[length] === right.content[length]) length += 1;
  return messageTokens({ role: 'user', content: right.content.slice(0, length) });
}

function same(left: object, right: object): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
