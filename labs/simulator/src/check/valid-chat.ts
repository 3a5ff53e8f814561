import type { ChatRequest } from '@phaseline/contracts';

const NO_RESULT = 'No result was recorded';

/**
 * Finds a violation of the chat protocol: system messages come first; every call of an answer is followed by its result, in
 * order; there is no result without a call. Returns `undefined` for a valid conversation.
 */
export function findRequestProblem({ messages }: ChatRequest): string | undefined {
  const ids = new Set<string>();
  let hasBegun = false;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at]!;
    if (message.role === 'system') {
      if (hasBegun) return `message ${at + 1} is a system message in the middle of the conversation`;
      continue;
    }
    if (!hasBegun && message.role !== 'user') return 'the conversation does not begin with a user message';
    hasBegun = true;
    if (message.role === 'tool') return `message ${at + 1} is a result without a call before it`;
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) {
      if (ids.has(call.id)) return `the call id ${call.id} is used twice`;
      ids.add(call.id);
      at += 1;
      const result = messages[at];
      if (result?.role !== 'tool' || result.callId !== call.id)
        return `the call ${call.id} is not followed by its result`;
      if (result.content.startsWith(NO_RESULT)) return `the call ${call.id} has no result`;
    }
  }
  if (messages.at(-1)?.role === 'assistant') return 'the last message is an answer without calls';
  return undefined;
}
