import {
  RehearsalFailure,
  type RehearsalAnswer,
  type RehearsalCall,
  type RehearsalRequest,
} from '../../rehearsal-policy.js';

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
  /** workspace.md, as the system prompt shows it. */
  readonly memory: string;
  /** All calls of the phase, oldest first. */
  readonly calls: readonly PastCall[];
  /** Those made since the current todo became the current one. */
  readonly onTodo: readonly PastCall[];
}

/** Reads the scene out of a conversation. Throws RehearsalFailure when it is not one of the Creator's. */
export function sceneOf({ messages }: RehearsalRequest): Scene {
  // Clients may join system messages into one, so both are looked for in all of them.
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content ?? '')
    .join('\n\n');
  const [, phase = '', kind] = /^Phase \d+: (.*) \((strategic|tactical)\)$/m.exec(system) ?? [];
  const [, id, content = ''] = /^\[ \] (\d+)\. (.*?) {3}← CURRENT$/m.exec(system) ?? [];
  if (kind === undefined)
    throw new RehearsalFailure('The rehearsal of the Creator found no todo list in the conversation.');
  if (id === undefined)
    throw new RehearsalFailure('The rehearsal of the Creator found no open todo in the conversation.');
  const calls = pastCalls({ messages });
  const lastDone = calls.findLastIndex(
    ({ name, result }) => name === 'todo_complete' && /^Todo \d+ is done/.test(result),
  );
  const memory = system.split('## Memory (workspace.md)').at(-1)?.split('═══')[0] ?? '';
  return {
    kind: kind as Scene['kind'],
    phase,
    todo: { id: Number(id), content },
    memory,
    calls,
    onTodo: calls.slice(lastDone + 1),
  };
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
