import type { ChatAnswer, ChatMessage } from '@phaseline/contracts';

type Part =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: string };

/** Renders the messages of a request in the JSON format of `gen_ai.input.messages`. */
export function renderInputMessages(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: toParts(message) })));
}

/** Renders an answer in the JSON format of `gen_ai.output.messages`. */
export function renderOutputMessages({ content, reasoning, calls }: ChatAnswer, finishReason: string): string {
  const parts: Part[] = [
    ...toTextParts('reasoning', reasoning),
    ...toTextParts('text', content),
    ...calls.map(({ id, name, arguments: args }): Part => {
      return { type: 'tool_call', id, name, arguments: args.kind === 'parsed' ? args.value : args.text };
    }),
  ];
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: finishReason }]);
}

function toParts(message: ChatMessage): readonly Part[] {
  if (message.role === 'tool') return [{ type: 'tool_call_response', id: message.callId, response: message.content }];
  if (message.role !== 'assistant') return toTextParts('text', message.content);
  return [
    ...toTextParts('reasoning', message.reasoning),
    ...toTextParts('text', message.content),
    ...(message.toolCalls ?? []).map(({ id, name, arguments: args }): Part => {
      return { type: 'tool_call', id, name, arguments: args };
    }),
  ];
}

function toTextParts(type: 'text' | 'reasoning', content = ''): readonly Part[] {
  return content === '' ? [] : [{ type, content }];
}
