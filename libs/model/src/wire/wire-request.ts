import type { ChatRequest, ToolDefinition } from '@phaseline/domain';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelProfile } from '../profile/model-profile.js';
import { wellFormed } from './well-formed.js';
import { toWireMessages } from './wire-messages.js';

/** Tokens that chat formats spend on a message and a tool beside their texts, in common models. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 8;
/** Tokens that a server may add to a request; the templates of common models add some hundred. */
const ADDED_BY_SERVER = 4_096;

export type WireRequest = ChatCompletionCreateParamsNonStreaming | ChatCompletionCreateParamsStreaming;

/** The body of the call. Whatever a server may reject is left out unless the profile asks for it. */
export function toWireRequest(request: ChatRequest, profile: ModelProfile, host: string): WireRequest {
  const { tools } = request;
  const body = {
    ...profile.extraBody,
    model: profile.model,
    messages: toWireMessages(request.messages, profile.reasoning),
    [maxTokensParameter(profile, host)]: maxTokensOf(request, profile),
    ...(profile.temperature === undefined ? {} : { temperature: profile.temperature }),
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(tools.length === 0 || profile.parallelCalls === undefined
      ? {}
      : { parallel_tool_calls: profile.parallelCalls }),
  };
  if (!profile.streaming) return { ...body, stream: false };
  return { ...body, stream: true, ...(profile.streamUsage ? { stream_options: { include_usage: true } } : {}) };
}

/** The bound of the answer that the request carries. */
export function maxTokensOf(request: ChatRequest, profile: Pick<ModelProfile, 'maxOutputTokens'>): number {
  return Math.min(request.maxOutputTokens ?? profile.maxOutputTokens, profile.maxOutputTokens);
}

/**
 * The most tokens that the request can take: one per byte that is sent, and what a server may add of its own, such as the
 * instructions of a chat template.
 */
export function mostRequestTokens(body: WireRequest): number {
  return Buffer.byteLength(JSON.stringify(body)) + ADDED_BY_SERVER;
}

/** The request's tokens, for servers that send no usage. Near enough for a bill, not for a limit. */
export function countRequest(body: WireRequest, countTokens: (text: string) => number): number {
  const messages = body.messages.reduce(
    (sum, message) => sum + TOKENS_PER_MESSAGE + countMessage(message, countTokens),
    0,
  );
  return (body.tools ?? []).reduce((sum, tool) => sum + TOKENS_PER_TOOL + countTokens(JSON.stringify(tool)), messages);
}

function countMessage(message: ChatCompletionMessageParam, countTokens: (text: string) => number): number {
  const text = typeof message.content === 'string' ? countTokens(message.content) : 0;
  const calls =
    message.role === 'assistant' && message.tool_calls ? countTokens(JSON.stringify(message.tool_calls)) : 0;
  return text + calls;
}

/** OpenAI's newer models reject `max_tokens`; most other servers know only that. */
function maxTokensParameter(profile: ModelProfile, host: string): 'max_tokens' | 'max_completion_tokens' {
  return profile.maxTokensParameter ?? (host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens');
}

function wireTool({ name, description, parameters }: ToolDefinition): ChatCompletionFunctionTool {
  return { type: 'function', function: { name: wellFormed(name), description: wellFormed(description), parameters } };
}
