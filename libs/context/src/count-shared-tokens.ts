import type { ChatMessage, ChatRequest } from '@phaseline/contracts';
import { countMessageTokens, countToolTokens } from './count-prompt-tokens.js';
import { countTokens } from './count-tokens.js';

type Content = Pick<ChatRequest, 'messages' | 'tools'>;

/**
 * Counts the tokens at the beginning of a request that are the same as in an earlier request, which is what the prompt cache of a server can
 * reuse. Tools come first, as in the chat templates of common models. Counted as in the ledger.
 */
export function countSharedTokens(earlier: Content, request: Content): number {
  const tools = countEqual(earlier.tools, request.tools);
  const toolTokens = sum(request.tools.slice(0, tools).map(countToolTokens));
  if (tools < Math.max(earlier.tools.length, request.tools.length)) return toolTokens;
  const messages = countEqual(earlier.messages, request.messages);
  const messageTokens = sum(request.messages.slice(0, messages).map(countMessageTokens));
  return toolTokens + messageTokens + countSharedText(earlier.messages[messages], request.messages[messages]);
}

/** Number of equal elements at the beginning of two lists. */
function countEqual(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [left[index], right[index]];
    if (one !== other && JSON.stringify(one) !== JSON.stringify(other)) return index;
  }
  return length;
}

/** Tokens of the text with which two different messages begin. */
function countSharedText(left: ChatMessage | undefined, right: ChatMessage | undefined): number {
  if (!left || left.role !== right?.role) return 0;
  const length = Math.min(left.content.length, right.content.length);
  let shared = 0;
  while (shared < length && left.content[shared] === right.content[shared]) shared += 1;
  return countTokens(left.content.slice(0, shared).toWellFormed());
}

function sum(tokens: readonly number[]): number {
  return tokens.reduce((total, count) => total + count, 0);
}
