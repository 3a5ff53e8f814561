import {
  RehearsalFailure,
  type RehearsalAnswer,
  type RehearsalCall,
  type RehearsalRequest,
  type WireMessage,
} from '../rehearsal-policy.js';
import { callsOfSummary } from './summary.js';

/**
 * A call that was made in this phase, with what the request shows of its result:
 * - `whole`: all of it;
 * - `preview`: its beginning and its end, the rest is only in `file`;
 * - `cleared`: nothing any more. It is in `file`, or has to be asked for again;
 * - `summarised`: its first line, as the summary of the older messages has it.
 */
export interface PastCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly shown: 'whole' | 'preview' | 'cleared' | 'summarised';
  readonly file?: string;
}

/** What a conversation says about where the agent is. */
export interface Scene {
  readonly kind: 'strategic' | 'tactical';
  /** Name of the phase, out of the todo list. */
  readonly phase: string;
  readonly todo: { readonly id: number; readonly content: string };
  /** Files that the job has to deliver, as the system prompt names them. */
  readonly deliverables: readonly string[];
  /** workspace.md, as the system prompt shows it. */
  readonly memory: string;
  /** All calls of the phase that the request shows, oldest first. */
  readonly calls: readonly PastCall[];
  /** Those made since the current todo became the current one. */
  readonly onTodo: readonly PastCall[];
  /** Those of the last answer with calls, as far as they belong to the current todo: what they returned is still in view. */
  readonly latest: readonly PastCall[];
}

/** The system messages and the last one of the others, where the todo list may stand as well, in one text. */
function settingOf(messages: RehearsalRequest['messages']): string {
  // Clients may join system messages into one, so everything is looked for in all of them.
  return messages
    .filter(({ role }, index) => role === 'system' || (role === 'user' && index === messages.length - 1))
    .map(({ content }) => content ?? '')
    .join('\n\n');
}

/** Whether a conversation is that of an agent, by its name. */
export function isAgent({ messages }: Pick<RehearsalRequest, 'messages'>, name: string): boolean {
  return messages.some(
    ({ role, content }) => role === 'system' && (content ?? '').startsWith(`You are the agent "${name}"`),
  );
}

/** Reads the scene out of a conversation. Throws RehearsalFailure when it is not that of a phase with todos. */
export function sceneOf({ messages }: Pick<RehearsalRequest, 'messages'>): Scene {
  const system = settingOf(messages);
  const [, phase = '', kind] = /^Phase \d+: (.*) \((strategic|tactical)\)$/m.exec(system) ?? [];
  const [, id, content = ''] = /^\[ \] (\d+)\. (.*?) {3}← CURRENT$/m.exec(system) ?? [];
  if (kind === undefined) throw new RehearsalFailure('The rehearsal found no todo list in the conversation.');
  if (id === undefined) throw new RehearsalFailure('The rehearsal found no open todo in the conversation.');
  const answers = pastAnswers(messages);
  const calls = [...callsOfSummary(system), ...answers.flat()];
  const lastDone = calls.findLastIndex(completesTodo);
  const memory = system.split('## Memory (workspace.md)').at(-1)?.split('═══')[0] ?? '';
  const onTodo = calls.slice(lastDone + 1);
  return {
    kind: kind as Scene['kind'],
    phase,
    todo: { id: Number(id), content },
    deliverables: deliverablesOf(system),
    memory,
    calls,
    onTodo,
    latest: answers.at(-1)?.filter((past) => onTodo.includes(past)) ?? [],
  };
}

/** A completion whose result was cleared is taken to have gone well: one that was refused was followed by other work. */
function completesTodo({ name, result, shown }: PastCall): boolean {
  return name === 'todo_complete' && (shown === 'cleared' || /^Todo \d+ is done/.test(result));
}

function deliverablesOf(system: string): readonly string[] {
  const [, list = ''] = /^## Deliverables of the job\n((?:- .*\n?)+)/m.exec(system) ?? [];
  return [...list.matchAll(/^- (.+)$/gm)].map((match) => match[1]!);
}

function pastAnswers(messages: readonly WireMessage[]): readonly (readonly PastCall[])[] {
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
            arguments: parsed(call.function.arguments),
            ...shownOf(results.get(call.id) ?? ''),
          })),
        ],
  );
}

function shownOf(result: string): Pick<PastCall, 'result' | 'shown' | 'file'> {
  const stored = /^\[This result is long: [^\n]*? The whole is in (\S+); here are its beginning and its end\./.exec(
    result,
  );
  if (stored) return { result, shown: 'preview', file: stored[1]! };
  const cleared = /^\[Cleared: (?:\d+ bytes, all in (\S+)\.|\d+ characters\. Call again if you need them\.)\]$/.exec(
    result,
  );
  if (!cleared) return { result, shown: 'whole' };
  return { result: '', shown: 'cleared', ...(cleared[1] === undefined ? {} : { file: cleared[1] }) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Either the text that was asked for, or the next call that brings it into view. */
export type Reading = { readonly text: string } | { readonly ask: RehearsalCall };

/** More windows than this are not held in view at once: what a rehearsal keeps in files is shorter. */
const MAX_WINDOWS = 5;

/**
 * A file as far as it was read since the current todo began, window after window from its beginning. Reads before the last
 * change of the file are outdated.
 */
export function reading({ onTodo }: Pick<Scene, 'onTodo'>, path: string): Reading {
  const changed = onTodo.findLastIndex(
    ({ name, arguments: args }) => (name === 'write_file' || name === 'append_file') && args['path'] === path,
  );
  const reads = callsOf(onTodo.slice(changed + 1), 'read_file').filter(({ arguments: args }) => args['path'] === path);
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
      /\n\[(?:lines? \d+|bytes \d+)[^\]\n]*? Go on with (from_line|from_byte) (\d+)\.\]$/.exec(read.result) ?? [];
    if (remark === undefined) return { text: text + read.result };
    text += `${read.result.slice(0, -remark.length)}${unit === 'from_line' ? '\n' : ''}`;
    from = { [unit!]: Number(next) };
  }
  return { text };
}

/** The result of a call, read from its file or asked for again where the request no longer shows it. */
export function recalled(scene: Pick<Scene, 'onTodo'>, past: PastCall): Reading {
  if (past.shown === 'whole') return { text: past.result };
  if (past.file !== undefined) return reading(scene, past.file);
  return { ask: call(past.name, past.arguments as RehearsalCall['arguments']) };
}

/** Everything in back-ticks, in order, each once. */
export function quoted(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!))];
}

/** All calls of that name, oldest first. */
export function callsOf(calls: readonly PastCall[], name: string): readonly PastCall[] {
  return calls.filter((past) => past.name === name);
}

/** The files that a `list_files` showed. */
export function listedFiles(listing: string): readonly string[] {
  return [...listing.matchAll(/^(\S.*) \(\d+ bytes\)$/gm)].map((match) => match[1]!);
}

/** The result of the last call of that name that the request still shows, whole or in part. */
export function lastResult(calls: readonly PastCall[], name: string): string | undefined {
  return calls.findLast((past) => past.name === name && past.shown !== 'cleared')?.result;
}

export function call(name: string, args: RehearsalCall['arguments'] = {}): RehearsalCall {
  return { name, arguments: args };
}

export function act(content: string, ...calls: readonly RehearsalCall[]): RehearsalAnswer {
  return { content, calls };
}

/** Does the last things of a todo and completes it in the same answer. */
export function finish(notes: string, ...calls: readonly RehearsalCall[]): RehearsalAnswer {
  return { content: '', calls: [...calls, call('todo_complete', { notes })] };
}

/** Says in plain words why the work cannot go on. The machine will ask again, and in the end keep the reason. */
export function giveUp(reason: string): RehearsalAnswer {
  return { content: `I cannot go on: ${reason}` };
}
