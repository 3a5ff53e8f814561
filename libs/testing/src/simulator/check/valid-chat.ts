import type { ChatRequest } from '@phaseline/domain';

const NO_RESULT = 'No result was recorded';

/**
 * What is wrong with a conversation by the rules of the chat protocol: the system first, then turns; every call of an
 * answer is followed by its result, in order, and no result stands alone. `undefined` when nothing is.
 */
export function requestProblem({ messages }: ChatRequest): string | undefined {
  const ids = new Set<string>();
  let conversation = false;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at]!;
    if (message.role === 'system') {
      if (conversation) return `message ${at + 1} is the system's, in the middle of the conversation`;
      continue;
    }
    if (!conversation && message.role !== 'user') return 'the conversation does not begin with a user';
    conversation = true;
    if (message.role === 'tool') return `message ${at + 1} is a result without a call before it`;
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) {
      if (ids.has(call.id)) return `the call ${call.id} stands twice`;
      ids.add(call.id);
      at += 1;
      const result = messages[at];
      if (result?.role !== 'tool' || result.callId !== call.id)
        return `the call ${call.id} is not followed by its result`;
      if (result.content.startsWith(NO_RESULT)) return `the call ${call.id} has no result`;
    }
  }
  if (messages.at(-1)?.role === 'assistant') return 'the model is asked although it spoke last and called nothing';
  return undefined;
}
