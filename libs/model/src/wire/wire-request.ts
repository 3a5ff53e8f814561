import { toWellFormedText } from '@phaseline/basics';
import type { ChatRequest, ToolDefinition } from '@phaseline/contracts';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelProfile } from '../profile/model-profile.js';
import { toWireMessages } from './wire-messages.js';

/** Tokens that common chat formats add per message and per tool, besides their texts. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 8;
/** Maximum tokens that a server adds to a request; the chat templates of common models add a few hundred. */
const MAX_TOKENS_ADDED_BY_SERVER = 4_096;

export type WireRequest = ChatCompletionCreateParamsNonStreaming | ChatCompletionCreateParamsStreaming;

/** Builds the request body. Parameters that some servers reject are omitted unless the profile sets them. */
export function toWireRequest(request: ChatRequest, profile: ModelProfile, host: string): WireRequest {
  const { tools, temperature = profile.temperature, reasoningEffort } = request;
  const body = {
    ...profile.extraBody,
    model: profile.model,
    messages: toWireMessages(request.messages, profile.reasoning),
    [selectMaxTokensParameter(profile, host)]: selectMaxOutputTokens(request, profile),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toWireTool) }),
    ...(tools.length === 0 || profile.parallelCalls === undefined
      ? {}
      : { parallel_tool_calls: profile.parallelCalls }),
  };
  if (!profile.streaming) return { ...body, stream: false };
  return { ...body, stream: true, ...(profile.streamUsage ? { stream_options: { include_usage: true } } : {}) };
}

/** Output limit in tokens that the request carries. */
export function selectMaxOutputTokens(request: ChatRequest, profile: Pick<ModelProfile, 'maxOutputTokens'>): number {
  return Math.min(request.maxOutputTokens ?? profile.maxOutputTokens, profile.maxOutputTokens);
}

/**
 * Upper bound of the request's tokens: one per byte sent, plus what a server may add, such as the instructions of a chat
 * template.
 */
export function boundRequestTokens(body: WireRequest): number {
  return Buffer.byteLength(JSON.stringify(body)) + MAX_TOKENS_ADDED_BY_SERVER;
}

/** Estimates the request's tokens, for servers that send no usage. Accurate enough for billing, not for a limit. */
export function countRequestTokens(body: WireRequest, countTokens: (text: string) => number): number {
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

/** OpenAI's newer models reject `max_tokens`; most other servers know only `max_tokens`. */
function selectMaxTokensParameter(profile: ModelProfile, host: string): 'max_tokens' | 'max_completion_tokens' {
  return profile.maxTokensParameter ?? (host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens');
}

function toWireTool({ name, description, parameters }: ToolDefinition): ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: { name: toWellFormedText(name), description: toWellFormedText(description), parameters },
  };
}
