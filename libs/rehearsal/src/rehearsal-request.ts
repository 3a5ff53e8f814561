import type { JsonObject } from '@phaseline/basics';
import { z } from 'zod';
import type { RehearsalRequest } from './rehearsal-policy.js';

const functionCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});

const message = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z.string().nullable().default(null),
    tool_calls: z.array(functionCall).min(1).optional(),
    tool_call_id: z.string().optional(),
  })
  .transform(({ tool_calls, tool_call_id, ...rest }) => ({
    ...rest,
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  }));

const tool = z.object({
  type: z.literal('function'),
  function: z
    .object({
      name: z.string().min(1),
      description: z.string().default(''),
      parameters: z.custom<JsonObject>((value) => typeof value === 'object').optional(),
    })
    .transform(({ parameters, ...rest }) => ({ ...rest, ...(parameters === undefined ? {} : { parameters }) })),
});

export const completionRequestSchema = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).default([]),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean().default(false) }).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
});
export type CompletionRequest = z.infer<typeof completionRequestSchema>;

export function toRehearsalRequest(request: CompletionRequest): RehearsalRequest {
  const { model, messages, tools } = request;
  return { model, messages, tools, toolNames: tools.map((entry) => entry.function.name) };
}

/**
 * Finds a problem for which real servers refuse a conversation, or `undefined`. The rehearsal server is as strict as real
 * servers, so that what works in rehearsal also works with them.
 */
export function findConversationProblem(messages: CompletionRequest['messages']): string | undefined {
  let open: string[] = [];
  for (const [at, entry] of messages.entries()) {
    const where = `messages[${at}]`;
    if (entry.role === 'tool') {
      const index = open.indexOf(entry.tool_call_id ?? '');
      if (index < 0) return `${where}: there is no open call with the id ${JSON.stringify(entry.tool_call_id ?? '')}`;
      open.splice(index, 1);
      continue;
    }
    if (open.length > 0) return `${where}: the calls ${open.join(', ')} have no result yet`;
    if (entry.content === null && !(entry.role === 'assistant' && entry.tool_calls))
      return `${where}: content is missing`;
    open = (entry.tool_calls ?? []).map((call) => call.id);
    if (new Set(open).size < open.length) return `${where}: two calls have the same id`;
    const broken = (entry.tool_calls ?? []).find((call) => !isJson(call.function.arguments));
    if (broken) return `${where}: the arguments of ${broken.id} are not JSON`;
  }
  return open.length > 0 ? `the calls ${open.join(', ')} have no result` : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
