import type { ChatRequest } from '@phaseline/contracts';
import type { Policy, Reply } from './engine.js';

/** Parses phase number and kind from the system prompt; adds the number of answers so far and the last message. */
export function parsePrompt(request: ChatRequest): {
  readonly phase: number;
  readonly kind: string;
  readonly turn: number;
  readonly last: string;
} {
  const system = request.messages[0]?.content ?? '';
  const [, phase = '0', kind = ''] = /This is phase (\d+), a (\w+) phase/.exec(system) ?? [];
  const turn = request.messages.filter((message) => message.role === 'assistant').length;
  return { phase: Number(phase), kind, turn, last: request.messages.at(-1)?.content ?? '' };
}

export const call = (name: string, args: object = {}): Reply => ({ calls: [{ name, arguments: args }] });
export const calls = (...list: [string, object?][]): Reply => ({
  calls: list.map(([name, args]) => ({ name, arguments: args ?? {} })),
});

export const PLAN_ONE_TODO: Reply = calls(
  ['todo_write', { phase: 'The work', description: 'What the job asks for.', todos: [{ content: 'Do the thing' }] }],
  ['todo_complete'],
);
/** Works on the current todo and completes it. A todo without any work is refused. */
export const DO_THE_TODO: Reply = calls(['read_file', { path: 'instructions.md' }], ['todo_complete']);
export const COMPLETE_JOB: Reply = call('job_complete', { summary: 'done', confidence: 1 });

/** Completes the current todo, after a call that works on it if the phase offers one. */
function finishTodo(request: ChatRequest): Reply {
  return request.tools.some(({ name }) => name === 'read_file') ? DO_THE_TODO : call('todo_complete');
}

/**
 * Policy of a job with three phases: plan one todo, work on it, complete. `work` is the policy of the second phase, or its answers,
 * after which it completes the todo. `plan` is the answer of the first phase.
 */
export function createThreePhasePolicy(work: Policy | readonly Reply[] = [], plan = PLAN_ONE_TODO): Policy {
  return (request, signal) => {
    const { kind, turn } = parsePrompt(request);
    if (kind === 'tactical')
      return typeof work === 'function' ? work(request, signal) : (work[turn] ?? finishTodo(request));
    return request.tools.some(({ name }) => name === 'job_complete') ? COMPLETE_JOB : plan;
  };
}
