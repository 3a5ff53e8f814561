import {
  RehearsalFailure,
  type RehearsalAnswer,
  type RehearsalCall,
  type RehearsalRequest,
} from '../rehearsal-policy.js';

/** A call that was made in this phase, with its result. */
export interface PastCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: string;
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
  /** All calls of the phase, oldest first. */
  readonly calls: readonly PastCall[];
  /** Those made since the current todo became the current one. */
  readonly onTodo: readonly PastCall[];
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
  const calls = pastCalls({ messages });
  const lastDone = calls.findLastIndex(
    ({ name, result }) => name === 'todo_complete' && /^Todo \d+ is done/.test(result),
  );
  const memory = system.split('## Memory (workspace.md)').at(-1)?.split('═══')[0] ?? '';
  return {
    kind: kind as Scene['kind'],
    phase,
    todo: { id: Number(id), content },
    deliverables: deliverablesOf(system),
    memory,
    calls,
    onTodo: calls.slice(lastDone + 1),
  };
}

function deliverablesOf(system: string): readonly string[] {
  const [, list = ''] = /^## Deliverables of the job\n((?:- .*\n?)+)/m.exec(system) ?? [];
  return [...list.matchAll(/^- (.+)$/gm)].map((match) => match[1]!);
}

function pastCalls({ messages }: Pick<RehearsalRequest, 'messages'>): readonly PastCall[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.tool_call_id === undefined ? [] : [[message.tool_call_id, message.content ?? ''] as const],
    ),
  );
  return messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.map((call) => ({
      name: call.function.name,
      arguments: parsed(call.function.arguments),
      result: results.get(call.id) ?? '',
    })),
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
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

/** The result of the last call of that name, where there is one. */
export function lastResult(calls: readonly PastCall[], name: string): string | undefined {
  return calls.findLast((call) => call.name === name)?.result;
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
