import type { RehearsalAnswer, RehearsalCall, RehearsalPolicy, RehearsalRequest } from '@phaseline/rehearsal';
import { CHECKED_AGENT, CHILD_AGENT } from './chaos-definitions.js';
import { CHILD_SHAPE, commandOf, RESULT_FILE, resultText, type JobShape } from './chaos-job.js';
import { ASK_TOOL, COMMAND_TOOL, DELEGATE_TOOL, ONCE_TOOL } from './chaos-pack.js';
import { TODO_VERIFIER } from './chaos-verifiers.js';

const PHASE_KIND = /This is phase \d+, a (strategic|tactical) phase/;
const MEMORY_FILE = 'workspace.md';
/** Matches the agent's memory, which is part of every system prompt. */
const ROUNDS_DONE = /rounds done: (\d+)/;
const CURRENT_TODO = /NEXT: work on todo (\d+)\./;
const QUESTION = call(ASK_TOOL, {
  question: 'Which part is paid first?',
  options: ['this', 'that'],
  deadline: '12h',
});
const DELEGATION = call(DELEGATE_TOOL, { agent: CHILD_AGENT, task: 'Do a round of your own.' });
const REPEATABLE = ['look_up', 'put_part'];

/**
 * Plays the model of the chaos agent. Each answer depends on the conversation alone, so a worker that takes over gets the same
 * one. A payment with unknown outcome is not repeated; any other call is repeated until it succeeds.
 */
export function createChaosPolicy(given: JobShape): RehearsalPolicy {
  return {
    name: 'chaos',
    matches: ({ messages }) => PHASE_KIND.test(messages[0]?.content ?? ''),
    answer: (request) => {
      const system = request.messages[0]?.content ?? '';
      const done = Number(ROUNDS_DONE.exec(system)?.[1] ?? 0);
      const [, kind] = PHASE_KIND.exec(system) ?? [];
      const isOf = (agent: string): boolean => system.includes(`You are the agent "${agent}"`);
      const shape = isOf(CHILD_AGENT) ? CHILD_SHAPE : given;
      const outputs = isOf(CHECKED_AGENT) ? [{ verifier: TODO_VERIFIER }] : undefined;
      const answer =
        kind === 'strategic' ? plan(shape, done, outputs) : work(request, shape, writtenRound(request) ?? done + 1);
      // Text before the calls makes the answer arrive in more than one part.
      return { content: 'Continuing with the round.', ...answer };
    },
  };
}

function plan(
  shape: JobShape,
  done: number,
  outputs: readonly { readonly verifier: string }[] | undefined,
): RehearsalAnswer {
  if (done >= shape.rounds) return { calls: [call('job_complete', { summary: 'all rounds are done', confidence: 1 })] };
  const todos = Array.from({ length: shape.todos }, (_, index) => ({
    content: `Do part ${index + 1}`,
    ...(outputs ? { outputs: [...outputs] } : {}),
  }));
  return {
    calls: [
      call('todo_write', { phase: `Round ${done + 1}`, description: 'Does its parts.', todos }),
      call('todo_complete'),
    ],
  };
}

function work(request: RehearsalRequest, shape: JobShape, round: number): RehearsalAnswer {
  const todo = Number(lastMatch(request, CURRENT_TODO) ?? 0);
  if (todo === 0) return { content: 'All todos of this round are done.' };
  if (request.toolNames.includes(ASK_TOOL) && !hasCalled(request, ASK_TOOL)) return { calls: [QUESTION] };
  if (request.toolNames.includes(DELEGATE_TOOL) && !hasCalled(request, DELEGATE_TOOL)) return { calls: [DELEGATION] };
  const results = resultsOf(request, round, todo);
  const missing = [
    ...(results.has(ONCE_TOOL) ? [] : [ONCE_TOOL]),
    ...REPEATABLE.filter((name) => !results.get(name)?.startsWith('ok')),
  ];
  const calls = missing.map((name) => call(name, { round, todo }));
  if (request.toolNames.includes(COMMAND_TOOL) && !hasRun(request, round, todo))
    calls.push(call(COMMAND_TOOL, { command: commandOf(round, todo) }));
  if (calls.length > 0) return { calls };
  if (todo < shape.todos) return { calls: [call('todo_complete')] };
  return {
    calls: [
      call('write_file', { path: MEMORY_FILE, content: `rounds done: ${round}\n` }),
      call('write_file', { path: RESULT_FILE, content: resultText(shape) }),
      call('todo_complete'),
    ],
  };
}

/** Returns the latest result per tool name of the calls made for this todo. */
function resultsOf({ messages }: RehearsalRequest, round: number, todo: number): Map<string, string> {
  const results = new Map<string, string>();
  for (const { tool_calls } of messages) {
    for (const { id, function: called } of tool_calls ?? []) {
      const { round: itsRound, todo: itsTodo } = JSON.parse(called.arguments) as { round?: number; todo?: number };
      if (itsRound !== round || itsTodo !== todo) continue;
      const answer = messages.find((message) => message.tool_call_id === id)?.content;
      if (typeof answer === 'string') results.set(called.name, answer);
    }
  }
  return results;
}

/**
 * Returns the round that this phase has written to its memory; undefined before it does so. From then on the memory no longer tells
 * which round this is: a call of the same answer may have failed, so that the phase continues.
 */
function writtenRound({ messages }: RehearsalRequest): number | undefined {
  for (const { tool_calls } of messages)
    for (const { function: called } of tool_calls ?? []) {
      const { path, content } = JSON.parse(called.arguments) as { path?: string; content?: string };
      const round = path === MEMORY_FILE ? ROUNDS_DONE.exec(content ?? '')?.[1] : undefined;
      if (round !== undefined) return Number(round);
    }
  return undefined;
}

/** Whether the command of a todo has succeeded. */
function hasRun({ messages }: RehearsalRequest, round: number, todo: number): boolean {
  const ids = messages.flatMap(({ tool_calls }) =>
    (tool_calls ?? []).flatMap(({ id, function: { name, arguments: text } }) =>
      name === COMMAND_TOOL && (JSON.parse(text) as { command?: string }).command === commandOf(round, todo)
        ? [id]
        : [],
    ),
  );
  return messages.some(
    ({ tool_call_id: id, content }) => id !== undefined && ids.includes(id) && content?.startsWith('Exit code 0'),
  );
}

/** Every round is a phase with its own conversation, and asks or delegates once. */
function hasCalled({ messages }: RehearsalRequest, name: string): boolean {
  return messages.some(({ tool_calls }) => tool_calls?.some((called) => called.function.name === name));
}

function lastMatch({ messages }: RehearsalRequest, pattern: RegExp): string | undefined {
  for (const { content } of messages.toReversed()) {
    const match = pattern.exec(content ?? '');
    if (match) return match[1];
  }
  return undefined;
}

function call(name: string, args: RehearsalCall['arguments'] = {}): RehearsalCall {
  return { name, arguments: args };
}
