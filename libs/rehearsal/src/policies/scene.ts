import {
  RehearsalFailure,
  type RehearsalAnswer,
  type RehearsalCall,
  type RehearsalRequest,
  type WireMessage,
} from '../rehearsal-policy.js';
import type { PastCall } from './past-call.js';
import { parseSummaryCalls } from './summary.js';

/** State of the agent, as read from a conversation. */
export interface Scene {
  readonly kind: 'strategic' | 'tactical';
  /** Name of the phase, from the todo list. */
  readonly phase: string;
  readonly todo: { readonly id: number; readonly content: string };
  /** What the current todo must fulfil before it is accepted, one line per demand, from the todo list. */
  readonly demands: readonly string[];
  /** Files that the job must deliver, from the system prompt. */
  readonly deliverables: readonly string[];
  /** Content of workspace.md, from the system prompt. */
  readonly memory: string;
  /** All calls of the phase that are in the request, oldest first. */
  readonly calls: readonly PastCall[];
  /** Calls made since the current todo started. */
  readonly callsOnTodo: readonly PastCall[];
  /** Calls of the last answer with calls that belong to the current todo. Their results are still in the prompt. */
  readonly latestCalls: readonly PastCall[];
}

/** Joins the system messages and the last user message, which may hold the todo list. */
function joinSetting(messages: RehearsalRequest['messages']): string {
  // Clients may join system messages, so all of them are searched for everything.
  return messages
    .filter(({ role }, index) => role === 'system' || (role === 'user' && index === messages.length - 1))
    .map(({ content }) => content ?? '')
    .join('\n\n');
}

/** Whether a conversation belongs to the agent with the given name. */
export function isAgent({ messages }: Pick<RehearsalRequest, 'messages'>, name: string): boolean {
  return messages.some(
    ({ role, content }) => role === 'system' && (content ?? '').startsWith(`You are the agent "${name}"`),
  );
}

/**
 * Reads the scene from a conversation.
 *
 * @throws {RehearsalFailure} if it does not belong to a phase with todos.
 */
export function readScene({ messages }: Pick<RehearsalRequest, 'messages'>): Scene {
  const system = joinSetting(messages);
  const [, phase = '', kind] = /^Phase \d+: (.*?)(?: \(\d+ of \d+\))? \((strategic|tactical)\)$/m.exec(system) ?? [];
  const [, id, content = ''] = /^\[[ !]\] (\d+)\. (.*?) {3}← CURRENT$/m.exec(system) ?? [];
  if (kind === undefined) throw new RehearsalFailure('The rehearsal policy found no todo list in the conversation.');
  if (id === undefined) throw new RehearsalFailure('The rehearsal policy found no open todo in the conversation.');
  const answers = readAnswers(messages);
  const calls = [...parseSummaryCalls(system), ...answers.flat()];
  const lastDone = calls.findLastIndex(completesTodo);
  const memory = system.split('## Memory (workspace.md)').at(-1)?.split('═══')[0] ?? '';
  const onTodo = calls.slice(lastDone + 1);
  return {
    kind: kind as Scene['kind'],
    phase,
    todo: { id: Number(id), content },
    demands: findDemands(system),
    deliverables: findDeliverables(system),
    memory,
    calls,
    callsOnTodo: onTodo,
    latestCalls: answers.at(-1)?.filter((past) => onTodo.includes(past)) ?? [],
  };
}

/** Whether a call completed a todo. A cleared result counts as success, because a refused completion is retried later. */
function completesTodo({ name, result, shown }: PastCall): boolean {
  return name === 'todo_complete' && (shown === 'cleared' || /^Todo \d+ is done/.test(result));
}

function findDemands(system: string): readonly string[] {
  const [, list = ''] =
    /← CURRENT\n(?: +(?:BLOCKED|noted): .*\n)* +It is accepted when this holds:\n((?: +- .*\n?)+)/.exec(system) ?? [];
  return [...list.matchAll(/^ +- (.+)$/gm)].map((match) => match[1]!);
}

function findDeliverables(system: string): readonly string[] {
  const [, list = ''] = /^## Deliverables of the job\n((?:- .*\n?)+)/m.exec(system) ?? [];
  return [...list.matchAll(/^- (.+)$/gm)].map((match) => match[1]!);
}

/** Reads the calls of each answer of a conversation, oldest first. */
export function readAnswers(messages: readonly WireMessage[]): readonly (readonly PastCall[])[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.tool_call_id === undefined ? [] : [[message.tool_call_id, message.content ?? ''] as const],
    ),
  );
  return messages.flatMap(({ role, tool_calls = [] }) =>
    role !== 'assistant' || tool_calls.length === 0
      ? []
      : [
          tool_calls.map((call) => ({
            name: call.function.name,
            arguments: parseArguments(call.function.arguments),
            ...parseShownResult(results.get(call.id) ?? ''),
          })),
        ],
  );
}

function parseShownResult(result: string): Pick<PastCall, 'result' | 'shown' | 'file'> {
  const stored = /^\[This result is long: [^\n]*? The full text is in (\S+); its beginning and end follow\./.exec(
    result,
  );
  if (stored) return { result, shown: 'preview', file: stored[1]! };
  const cleared =
    /^\[Cleared: (?:\d+ bytes, stored in (\S+)\.|\d+ characters\. Repeat the call if you need them\.)\]$/.exec(result);
  if (!cleared) return { result, shown: 'whole' };
  return { result: '', shown: 'cleared', ...(cleared[1] === undefined ? {} : { file: cleared[1] }) };
}

function parseArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Either the requested text, or the next call needed to read it. */
export type Reading = { readonly text: string } | { readonly ask: RehearsalCall };

/** Maximum number of windows read per file; files written in a rehearsal are shorter. */
const MAX_WINDOWS = 5;

/**
 * Joins the windows of a file that were read since the current todo started, from its beginning. Reads before the last
 * change of the file are ignored as outdated.
 */
export function readFileInView({ callsOnTodo }: Pick<Scene, 'callsOnTodo'>, path: string): Reading {
  const changed = callsOnTodo.findLastIndex(
    ({ name, arguments: args }) => (name === 'write_file' || name === 'append_file') && args['path'] === path,
  );
  const reads = filterCalls(callsOnTodo.slice(changed + 1), 'read_file').filter(
    ({ arguments: args }) => args['path'] === path,
  );
  let text = '';
  let from: Readonly<Record<string, number>> = {};
  for (let window = 0; window < MAX_WINDOWS; window += 1) {
    const read = reads.findLast(
      ({ arguments: args, shown }) =>
        shown === 'whole' &&
        args['from_line'] === from['from_line'] &&
        args['from_byte'] === from['from_byte'] &&
        args['to_line'] === undefined,
    );
    if (!read) return { ask: call('read_file', { path, ...from }) };
    const [remark, unit, next] =
      /\n\[(?:lines? \d+|bytes \d+)[^\]\n]*? Continue with (from_line|from_byte) (\d+)\.\]$/.exec(read.result) ?? [];
    if (remark === undefined) return { text: text + read.result };
    text += `${read.result.slice(0, -remark.length)}${unit === 'from_line' ? '\n' : ''}`;
    from = { [unit!]: Number(next) };
  }
  return { text };
}

/** Returns the result of a call; if the request no longer shows it, reads its file or repeats the call. */
export function recallResult(scene: Pick<Scene, 'callsOnTodo'>, past: PastCall): Reading {
  if (past.shown === 'whole') return { text: past.result };
  if (past.file !== undefined) return readFileInView(scene, past.file);
  return { ask: call(past.name, past.arguments as RehearsalCall['arguments']) };
}

/** Extracts all texts in backticks, in order, without duplicates. */
export function extractBackticked(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!))];
}

/** Returns the calls of the named tool, oldest first. */
export function filterCalls(calls: readonly PastCall[], name: string): readonly PastCall[] {
  return calls.filter((past) => past.name === name);
}

/** Parses the paths from a `list_files` result. */
export function parseFileListing(listing: string): readonly string[] {
  return [...listing.matchAll(/^(\S.*) \(\d+ bytes\)$/gm)].map((match) => match[1]!);
}

/** Returns the latest result of the named tool that the request still shows, in full or in part. */
export function findLastResult(calls: readonly PastCall[], name: string): string | undefined {
  return calls.findLast((past) => past.name === name && past.shown !== 'cleared')?.result;
}

export function call(name: string, args: RehearsalCall['arguments'] = {}): RehearsalCall {
  return { name, arguments: args };
}

export function act(content: string, ...calls: readonly RehearsalCall[]): RehearsalAnswer {
  return { content, calls };
}

/** Makes the last calls of a todo and completes it in the same answer. */
export function finishTodo(notes: string, ...calls: readonly RehearsalCall[]): RehearsalAnswer {
  return { content: '', calls: [...calls, call('todo_complete', { notes })] };
}

/** Answers with the reason why work cannot continue. The engine calls the model again and finally records the reason. */
export function reportBlocked(reason: string): RehearsalAnswer {
  return { content: `I cannot continue: ${reason}` };
}
