import type { ChatMessage, ChatRequest } from '@phaseline/contracts';
import type { Prompt } from './build-prompt.js';
import { countMessageTokens } from './count-prompt-tokens.js';

/** A request that gives a model one task and the data for it, without tools. */
export interface TaskRequest {
  readonly task: string;
  readonly data: string;
  readonly maxOutputTokens: number;
}

/** Builds the prompt of a task outside the conversation of a phase: the task is the system prompt, and its data are the conversation. */
export function buildTaskPrompt(
  { task, data, maxOutputTokens }: TaskRequest,
  hash: (request: ChatRequest) => string,
): Prompt {
  const messages: [ChatMessage, ChatMessage] = [
    { role: 'system', content: task },
    { role: 'user', content: data },
  ];
  const request: ChatRequest = { messages, tools: [], maxOutputTokens };
  const [system, conversation] = [countMessageTokens(messages[0]), countMessageTokens(messages[1])];
  return {
    request,
    ledger: { system, todos: 0, tools: 0, summary: 0, conversation, total: system + conversation },
    layout: [
      { layer: 'system', messages: 1 },
      { layer: 'conversation', messages: 1 },
    ],
    hash: hash(request),
  };
}
