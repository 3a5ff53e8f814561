import type { RehearsalRequest } from '@phaseline/rehearsal';
import { expect, it } from 'vitest';
import { createChaosPolicy } from './chaos-policy.js';

const SHAPE = { rounds: 2, todos: 1 };

interface Played {
  readonly name: string;
  readonly arguments: object;
  readonly content: string;
}

/** A request of the second round, whose memory says this many rounds and whose calls ended so. */
function createRequest(roundsDone: number, played: readonly Played[]): RehearsalRequest {
  const messages: RehearsalRequest['messages'] = [
    { role: 'system', content: `This is phase 4, a tactical phase.\nrounds done: ${roundsDone}\n` },
    {
      role: 'assistant',
      content: null,
      tool_calls: played.map(({ name, arguments: given }, id) => ({
        id: `${id}`,
        function: { name, arguments: JSON.stringify(given) },
      })),
    },
    ...played.map(({ content }, id) => ({ role: 'tool', content, tool_call_id: `${id}` })),
    { role: 'system', content: 'NEXT: work on todo 1.' },
  ];
  return { model: 'rehearsal', messages, tools: [], toolNames: [] };
}

const work = ['pay_once', 'look_up', 'put_part'].map((name) => ({
  name,
  arguments: { round: 2, todo: 1 },
  content: 'ok',
}));
const memory = (content: string): Played => ({
  name: 'write_file',
  arguments: { path: 'workspace.md', content: 'rounds done: 2\n' },
  content,
});

it('ends its round with the calls that tell that it is done', () => {
  const { calls } = createChaosPolicy(SHAPE).answer(createRequest(1, work));
  expect(calls?.map(({ name }) => name)).toEqual(['write_file', 'write_file', 'todo_complete']);
});

it.each([
  ['wrote', 2, 'Wrote workspace.md.'],
  ['failed to write', 1, 'Call denied.'],
])(
  'repeats the end of its round, and not the round, after an answer that %s the memory and failed',
  (_, done, content) => {
    const policy = createChaosPolicy(SHAPE);
    const { calls } = policy.answer(createRequest(done, [...work, memory(content)]));
    expect(calls).toEqual(policy.answer(createRequest(1, work)).calls);
  },
);
