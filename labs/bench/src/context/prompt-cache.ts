import { countPromptTokens, countMessageTokens } from '@phaseline/context';
import type { ChatMessage, ChatRequest } from '@phaseline/contracts';

/** Typical prompt caches store prompts of at least this length, in whole blocks from the beginning. */
const MIN_CACHED_TOKENS = 1_024;
const BLOCK_TOKENS = 128;

export interface CallTokens {
  readonly input: number;
  /** Part of `input` that is read from the cache of the previous call. */
  readonly cached: number;
}

/**
 * Counts the tokens of each request of a sequence, and how many of them a server reads from the cache of the previous request: those of
 * the common prefix, tools first, in whole blocks. A change in the middle invalidates everything after it.
 */
export function countCachedTokens(requests: readonly ChatRequest[]): CallTokens[] {
  return requests.map((request, index) => {
    const before = requests[index - 1];
    const common = before ? countCommonTokens(before, request) : 0;
    const cached = Math.floor(common / BLOCK_TOKENS) * BLOCK_TOKENS;
    return { input: countPromptTokens(request), cached: cached >= MIN_CACHED_TOKENS ? cached : 0 };
  });
}

function countCommonTokens(before: ChatRequest, now: ChatRequest): number {
  if (!isSame(before.tools, now.tools)) return 0;
  let tokens = countPromptTokens({ messages: [], tools: now.tools });
  for (const [index, message] of now.messages.entries()) {
    const other = before.messages[index];
    if (!other) return tokens;
    if (!isSame(other, message)) return tokens + countCommonPrefix(other, message);
    tokens += countMessageTokens(message);
  }
  return tokens;
}

/** Counts the tokens of the common prefix of two different messages. */
function countCommonPrefix(left: ChatMessage, right: ChatMessage): number {
  if (left.role !== right.role) return 0;
  let length = 0;
  while (length < left.content.length && left.content[length] === right.content[length]) length += 1;
  return countMessageTokens({ role: 'user', content: right.content.slice(0, length) });
}

function isSame(left: object, right: object): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
