/**
 * When reasoning is sent back to the model. `never`: for most servers, which reject it. `between-calls`: with the calls since
 * the last user message (gpt-oss). `with-calls`: with every answer that made calls, even if empty (DeepSeek in thinking mode).
 */
export const reasoningModes = ['never', 'between-calls', 'with-calls'] as const;
export type ReasoningMode = (typeof reasoningModes)[number];

/** Whether the reasoning of an answer is part of the next request. Only answers with calls carry any. */
export function isReasoningSent(mode: ReasoningMode, isSinceLastUserMessage: boolean): boolean {
  return mode === 'with-calls' || (mode === 'between-calls' && isSinceLastUserMessage);
}
