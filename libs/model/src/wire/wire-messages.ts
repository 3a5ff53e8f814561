import { isReasoningSent, type ChatMessage, type ChatToolCall } from '@phaseline/domain';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelProfile } from '../profile/model-profile.js';
import { asObject } from './loose-json.js';
import { wellFormed } from './well-formed.js';

type ReasoningRule = ModelProfile['reasoning'];
type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Stands in for a result that was never recorded: a call without one makes servers refuse the whole conversation. */
const LOST_RESULT = 'There is no result: the call was cancelled or its result was lost.';
/** Servers refuse a conversation in which a name holds anything else, even a name that the model made up itself. */
const NOT_IN_NAMES = /[^A-Za-z0-9_-]/g;
const LONGEST_NAME = 64;

/**
 * The conversation as servers take it, whatever history it is given: each call is followed at once by exactly one
 * result, in the order of the calls; ids are unique over all turns; arguments are JSON objects as text; only an
 * answer with calls may have no content. Results without a call are left out, as no server takes them. The system
 * messages at the beginning become one, as many chat templates know only one.
 */
export function toWireMessages(
  messages: readonly ChatMessage[],
  reasoning: ReasoningRule,
): ChatCompletionMessageParam[] {
  const wire: ChatCompletionMessageParam[] = [];
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const usedIds = new Set<string>();
  let rest = 0;
  const system: string[] = [];
  for (; messages[rest]?.role === 'system'; rest++)
    system.push(wellFormed((messages[rest] as { content: string }).content));
  if (system.length > 0) wire.push({ role: 'system', content: system.join('\n\n') });
  for (let at = rest; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      wire.push({ role: message.role, content: wellFormed(message.content) });
      continue;
    }
    const calls = message.toolCalls ?? [];
    const ids = calls.map((call) => uniqueId(call.id, usedIds));
    wire.push(assistantMessage(message, ids, reasoning, at > lastUser));
    const results = resultsAfter(messages, at, calls);
    calls.forEach((call, index) => {
      wire.push({ role: 'tool', tool_call_id: ids[index]!, content: wellFormed(results.get(index) ?? LOST_RESULT) });
    });
  }
  return wire;
}

function assistantMessage(
  message: AssistantMessage,
  ids: readonly string[],
  rule: ReasoningRule,
  sinceLastUser: boolean,
): ChatCompletionMessageParam {
  const calls = message.toolCalls ?? [];
  const content = wellFormed(message.content);
  const assistant: ChatCompletionAssistantMessageParam = {
    role: 'assistant',
    content: calls.length > 0 && content === '' ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => wireCall(call, ids[index]!)) }),
  };
  const reasoning = reasoningToSend(message, rule, sinceLastUser);
  return reasoning === undefined ? assistant : { ...assistant, [rule.field]: reasoning };
}

function reasoningToSend(message: AssistantMessage, rule: ReasoningRule, sinceLastUser: boolean): string | undefined {
  const reasoning = message.reasoning ?? '';
  if ((message.toolCalls ?? []).length === 0 || !isReasoningSent(rule.sendBack, sinceLastUser)) return undefined;
  // Servers that want it with every answer reject one without the field, so it is sent empty there.
  return reasoning === '' && rule.sendBack !== 'with-calls' ? undefined : wellFormed(reasoning);
}

function wireCall(call: ChatToolCall, id: string): ChatCompletionMessageFunctionToolCall {
  const name = call.name.replace(NOT_IN_NAMES, '_').slice(0, LONGEST_NAME) || 'unknown';
  return { id, type: 'function', function: { name, arguments: validArguments(call.arguments) } };
}

function validArguments(text: string): string {
  try {
    return asObject(JSON.parse(text)) ? wellFormed(text) : '{}';
  } catch {
    return '{}';
  }
}

function uniqueId(given: string, used: Set<string>): string {
  const wanted = wellFormed(given);
  let id = wanted === '' ? 'call' : wanted;
  for (let n = 2; used.has(id); n++) id = `${wanted === '' ? 'call' : wanted}_${n}`;
  used.add(id);
  return id;
}

/** The results of an answer's calls, by the place of the call: up to where an id is used again by a later answer. */
function resultsAfter(
  messages: readonly ChatMessage[],
  at: number,
  calls: readonly ChatToolCall[],
): ReadonlyMap<number, string> {
  const results = new Map<number, string>();
  const open = calls.map((call) => call.id);
  for (let next = at + 1; next < messages.length && results.size < calls.length; next++) {
    const message = messages[next]!;
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) clear(open, call.id);
    if (message.role !== 'tool') continue;
    const index = open.findIndex((id, place) => id === message.callId && !results.has(place));
    if (index >= 0) results.set(index, message.content);
  }
  return results;
}

/** Takes an id out of the list, so that no later result is taken for it. */
function clear(open: (string | undefined)[], id: string): void {
  open.forEach((value, place) => {
    if (value === id) open[place] = undefined;
  });
}
