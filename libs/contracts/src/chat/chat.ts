import type { JsonObject } from '@phaseline/basics';
import type { CallId } from '../ids/ids.js';

/** A tool call in the history that is sent to a model. `arguments` is always valid JSON text. */
export interface ChatToolCall {
  readonly id: CallId;
  readonly name: string;
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly reasoning?: string;
      readonly toolCalls?: readonly ChatToolCall[];
    }
  | { readonly role: 'tool'; readonly callId: CallId; readonly content: string };

/** Description of a tool for the model. `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** How much a model reasons before it answers, as far as its server supports it. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
type ReasoningEffort = (typeof reasoningEfforts)[number];

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Maximum length of the answer, in tokens. */
  readonly maxOutputTokens?: number;
  /** Replaces the temperature of the model profile. */
  readonly temperature?: number;
  /** Sent only if set. */
  readonly reasoningEffort?: ReasoningEffort;
}

/** Arguments of a call: parsed if they are a complete JSON object (an empty text counts as `{}`), otherwise the original text. */
export type CallArguments =
  | { readonly kind: 'parsed'; readonly value: JsonObject }
  | { readonly kind: 'malformed'; readonly text: string; readonly problem: string };

export interface AnsweredCall {
  /** Unique within the answer and never empty. It is generated if the server sent none or repeated one. */
  readonly id: CallId;
  readonly name: string;
  readonly arguments: CallArguments;
}

export interface TokenUsage {
  readonly inputTokens: number;
  /** The part of `inputTokens` that the server served from its prompt cache. */
  readonly cachedInputTokens: number;
  /** The part of `inputTokens` that the server wrote into its prompt cache; absent if it does not say. */
  readonly cacheWriteInputTokens?: number | undefined;
  readonly outputTokens: number;
  /** True if the server sent no usage and the tokens were counted locally. */
  readonly estimated: boolean;
}

/** Why the answer ended. `cut` means a length limit was reached; calls of such an answer are never run. */
export type AnswerEnd = 'stop' | 'calls' | 'truncated' | 'filtered';

export interface ChatAnswer {
  readonly content: string;
  readonly reasoning?: string;
  readonly calls: readonly AnsweredCall[];
  readonly end: AnswerEnd;
  readonly usage: TokenUsage;
}
