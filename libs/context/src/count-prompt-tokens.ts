import type { ChatMessage, ChatRequest, ToolDefinition } from '@phaseline/contracts';
import { countTokens } from './count-tokens.js';

/** Overhead in tokens per message, in the chat formats of common models. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 8;

/** Token count of a message as sent, including its calls. */
export function countMessageTokens(message: ChatMessage): number {
  let tokens = TOKENS_PER_MESSAGE + countTokens(message.content);
  if (message.role === 'assistant') {
    if (message.reasoning) tokens += countTokens(message.reasoning);
    for (const call of message.toolCalls ?? [])
      tokens += TOKENS_PER_MESSAGE + countTokens(call.name) + countTokens(call.arguments);
  }
  return tokens;
}

/** Token count of a tool's name, description and parameters. */
export function countToolTokens({ name, description, parameters }: ToolDefinition): number {
  return TOKENS_PER_TOOL + countTokens(name) + countTokens(description) + countTokens(JSON.stringify(parameters));
}

/** Token count of a whole request, counted as in the ledger. */
export function countPromptTokens({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): number {
  return [...messages.map(countMessageTokens), ...tools.map(countToolTokens)].reduce((sum, tokens) => sum + tokens, 0);
}
