import { toWellFormedText } from '@phaseline/basics';
import { isReasoningSent, type ChatMessage, type ChatToolCall } from '@phaseline/contracts';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelProfile } from '../profile/model-profile.js';
import { asObject } from './loose-json.js';

type ReasoningRule = ModelProfile['reasoning'];
type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Replaces a result that was never recorded, because servers refuse a conversation with an unanswered call. */
const LOST_RESULT = 'There is no result: the call was cancelled or its result was lost.';
/** Characters that servers refuse in tool names, even in names that the model invented. */
const INVALID_NAME_CHARACTERS = /[^A-Za-z0-9_-]/g;
const MAX_NAME_CHARACTERS = 64;

/**
 * Converts any history into a conversation that servers accept. Each call is followed immediately by exactly one
 * result, in the order of the calls. Ids are unique across all turns. Arguments are JSON objects as text. Only an answer
 * with calls may have no content. Results without a call are omitted. The leading system messages are joined into one,
 * because many chat templates support only one.
 */
export function toWireMessages(
  messages: readonly ChatMessage[],
  reasoning: ReasoningRule,
): ChatCompletionMessageParam[] {
  const wire: ChatCompletionMessageParam[] = [];
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const usedIds = new Set<string>();
  let firstOther = 0;
  const systemTexts: string[] = [];
  for (; messages[firstOther]?.role === 'system'; firstOther++)
    systemTexts.push(toWellFormedText((messages[firstOther] as { content: string }).content));
  if (systemTexts.length > 0) wire.push({ role: 'system', content: systemTexts.join('\n\n') });
  for (let at = firstOther; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      wire.push({ role: message.role, content: toWellFormedText(message.content) });
      continue;
    }
    const calls = message.toolCalls ?? [];
    const ids = calls.map((call) => toUniqueId(call.id, usedIds));
    wire.push(toAssistantMessage(message, ids, reasoning, at > lastUser));
    const results = findResults(messages, at, calls);
    calls.forEach((call, index) => {
      wire.push({
        role: 'tool',
        tool_call_id: ids[index]!,
        content: toWellFormedText(results.get(index) ?? LOST_RESULT),
      });
    });
  }
  return wire;
}

function toAssistantMessage(
  message: AssistantMessage,
  ids: readonly string[],
  rule: ReasoningRule,
  sinceLastUser: boolean,
): ChatCompletionMessageParam {
  const calls = message.toolCalls ?? [];
  const content = toWellFormedText(message.content);
  const assistant: ChatCompletionAssistantMessageParam = {
    role: 'assistant',
    content: calls.length > 0 && content === '' ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => toWireCall(call, ids[index]!)) }),
  };
  const reasoning = selectReasoning(message, rule, sinceLastUser);
  return reasoning === undefined ? assistant : { ...assistant, [rule.field]: reasoning };
}

function selectReasoning(message: AssistantMessage, rule: ReasoningRule, sinceLastUser: boolean): string | undefined {
  const reasoning = message.reasoning ?? '';
  if ((message.toolCalls ?? []).length === 0 || !isReasoningSent(rule.sendBack, sinceLastUser)) return undefined;
  // Servers that want reasoning with every answer reject a missing field, so an empty one is sent.
  return reasoning === '' && rule.sendBack !== 'with-calls' ? undefined : toWellFormedText(reasoning);
}

function toWireCall(call: ChatToolCall, id: string): ChatCompletionMessageFunctionToolCall {
  const name = call.name.replace(INVALID_NAME_CHARACTERS, '_').slice(0, MAX_NAME_CHARACTERS) || 'unknown';
  return { id, type: 'function', function: { name, arguments: toValidArguments(call.arguments) } };
}

function toValidArguments(text: string): string {
  try {
    return asObject(JSON.parse(text)) ? toWellFormedText(text) : '{}';
  } catch {
    return '{}';
  }
}

function toUniqueId(given: string, used: Set<string>): string {
  const wanted = toWellFormedText(given);
  let id = wanted === '' ? 'call' : wanted;
  for (let n = 2; used.has(id); n++) id = `${wanted === '' ? 'call' : wanted}_${n}`;
  used.add(id);
  return id;
}

/** Finds the results of an answer's calls, by index of the call. Stops matching an id that a later answer reuses. */
function findResults(
  messages: readonly ChatMessage[],
  at: number,
  calls: readonly ChatToolCall[],
): ReadonlyMap<number, string> {
  const results = new Map<number, string>();
  const open = calls.map((call) => call.id);
  for (let next = at + 1; next < messages.length && results.size < calls.length; next++) {
    const message = messages[next]!;
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) releaseId(open, call.id);
    if (message.role !== 'tool') continue;
    const index = open.findIndex((id, place) => id === message.callId && !results.has(place));
    if (index >= 0) results.set(index, message.content);
  }
  return results;
}

/** Removes an id from the list, so that no later result is matched to it. */
function releaseId(open: (string | undefined)[], id: string): void {
  open.forEach((value, place) => {
    if (value === id) open[place] = undefined;
  });
}
