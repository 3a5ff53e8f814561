import { describe, expect, it } from 'vitest';
import { evolvePhase, type PhaseState } from '@phaseline/domain';
import { buildPhaseState, InlineToolBench } from '@phaseline/tools/testing';
import { todosPack } from './todos-pack.js';

const todo = (id: number, status: 'open' | 'done' = 'open') => ({ id, content: `Do thing ${id}`, status });
const rewind = { outcome: 'rewound', gates: [] };
const stateOf = (todos: ReturnType<typeof todo>[], routes: object = {}): PhaseState =>
  buildPhaseState({ plan: { todos }, routes });

/** Calls tools one after another, each on the phase state that results from the calls before. */
async function runCalls(state: PhaseState, ...list: readonly (readonly [string, object?])[]) {
  const contents: string[] = [];
  for (const [name, args = {}] of list) {
    const outcome = await new InlineToolBench(todosPack, state).run(name, args as Record<string, unknown>);
    for (const fact of outcome.events ?? []) state = evolvePhase(state, fact);
    contents.push(outcome.content);
  }
  return { state, contents };
}
const expectRejected = (state: PhaseState, name: string, args: object = {}) =>
  expect(runCalls(state, [name, args])).rejects;

describe('the finer set of todo tools', () => {
  it('starts, completes and adds todos on one list', async () => {
    const { state, contents } = await runCalls(
      stateOf([todo(1), todo(3)]),
      ['start_todo', { todo_id: 1 }],
      ['list_todos'],
      ['get_progress'],
      ['complete_todo', { todo_id: 1, notes: 'fine' }],
      ['add_todo', { content: ' One more ' }],
      ['get_next_todo'],
      ['get_progress'],
    );
    expect(contents[1]).toBe('[~] 1. Do thing 1   ← CURRENT\n[ ] 3. Do thing 3');
    expect(contents[2]).toBe('Progress: 0 of 2 (0.0 % done). In progress: 1, pending: 1.');
    expect(contents[3]).toContain('Next: 3. Do thing 3');
    expect(contents[5]).toBe('3. Do thing 3');
    expect(contents[6]).toBe('Progress: 1 of 3 (33.3 % done). In progress: 0, pending: 2.');
    expect(state.todos.list.at(-1)).toEqual({ id: 4, content: 'One more', status: 'open' });
    expect(state.todos.list[0]).toMatchObject({ status: 'done', note: 'fine' });
  });

  it('gives an added todo a new id, for any ids in the list', async () => {
    const { state } = await runCalls(
      stateOf([todo(2), todo(3)]),
      ['add_todo', { content: 'x' }],
      ['add_todo', { content: 'y' }],
    );
    expect(state.todos.list.map(({ id }) => id)).toEqual([2, 3, 4, 5]);
  });

  it('starts and completes only the current todo', async () => {
    const state = stateOf([todo(1, 'done'), todo(2), todo(3)]);
    for (const name of ['start_todo', 'complete_todo']) {
      await expectRejected(state, name, { todo_id: 3 }).toMatchObject({
        code: 'not_current',
        message: expect.stringContaining('Current: 2. Do thing 2') as string,
      });
      await expectRejected(state, name, { todo_id: 1 }).toMatchObject({ code: 'already_done' });
      await expectRejected(state, name, { todo_id: 7 }).toMatchObject({ code: 'no_such_todo' });
    }
  });

  it('limits the length of a list, done todos included', async () => {
    const full = Array.from({ length: 20 }, (_, index) => todo(index + 1, index < 19 ? 'done' : 'open'));
    await expectRejected(stateOf(full), 'add_todo', { content: 'x' }).toMatchObject({ code: 'too_many_todos' });
    await expectRejected(stateOf([todo(1)]), 'add_todo', { content: ' ' }).toMatchObject({ code: 'bad_todos' });
    await expectRejected(stateOf([todo(1)]), 'add_todo', { content: 'Do thing 1' }).toMatchObject({
      code: 'todo_exists',
    });
  });

  it('resets a list only when it is done or when an issue is given', async () => {
    const open = stateOf([todo(1, 'done'), todo(2), todo(3)], { rewind });
    await expectRejected(open, 'archive_and_reset').toMatchObject({
      code: 'todos_open',
      message: expect.stringMatching(/2\. Do thing 2; 3\. Do thing 3/) as string,
    });
    const { state, contents } = await runCalls(open, ['archive_and_reset', { issue: ' There is no way. ' }]);
    expect(contents[0]).toContain('2 open todos');
    expect(state.todos.rewound).toEqual({ issue: 'There is no way.', callId: 'call_1' });
    expect((await runCalls(stateOf([todo(1, 'done')]), ['archive_and_reset'])).state.todos.rewound).toBeUndefined();
  });
});

describe('a blocked todo', () => {
  const blockFirst = ['block_todo', { reason: 'No access to the archive.' }] as const;

  it('is put aside with its reason, and the agent continues with the next', async () => {
    const { state, contents } = await runCalls(
      stateOf([todo(1), todo(2)]),
      ['start_todo', { todo_id: 1 }],
      blockFirst,
      ['list_todos'],
      ['get_progress'],
      ['get_next_todo'],
    );
    expect(contents[1]).toBe('Todo 1 is blocked. Continue with todo 2: Do thing 2');
    expect(contents[2]).toBe('[!] 1. Do thing 1 (blocked: No access to the archive.)\n[ ] 2. Do thing 2   ← CURRENT');
    expect(contents[3]).toBe(
      'Progress: 0 of 2 (0.0 % done). In progress: 0, pending: 1, blocked: 1 (1: No access to the archive.).',
    );
    expect(contents[4]).toBe('2. Do thing 2');
    expect(state.todos.list[0]).toMatchObject({ status: 'open', blocked: 'No access to the archive.' });
  });

  it('becomes the current one when nothing else is open, and the agent is told that the phase cannot end', async () => {
    const { contents } = await runCalls(
      stateOf([todo(1), todo(2)]),
      blockFirst,
      ['complete_todo', { todo_id: 2 }],
      ['get_next_todo'],
    );
    expect(contents[1]).toContain('Next: 1. Do thing 1 (blocked: No access to the archive.)');
    expect(contents[2]).toBe('1. Do thing 1 (blocked: No access to the archive.)');
    const all = await runCalls(stateOf([todo(1)]), blockFirst);
    expect(all.contents[0]).toContain('the phase cannot end before they are done');
  });

  it('takes its place again when it is unblocked', async () => {
    const { state, contents } = await runCalls(
      stateOf([todo(1), todo(2), todo(3)]),
      ['block_todo', { todo_id: 2, reason: ' Later. ' }],
      blockFirst,
      ['unblock_todo'],
      ['get_next_todo'],
      ['unblock_todo', { todo_id: 2 }],
    );
    expect(contents[2]).toBe('Todo 1 is no longer blocked: Do thing 1');
    expect(contents[3]).toBe('1. Do thing 1');
    expect(state.todos.list).toEqual([todo(1), todo(2), todo(3)]);
  });

  it('can be completed, which removes the block, although another one is the current one', async () => {
    const { state } = await runCalls(stateOf([todo(1), todo(2)]), blockFirst, ['complete_todo', { todo_id: 1 }]);
    expect(state.todos.list[0]).toEqual(todo(1, 'done'));
  });

  it('cannot be blocked twice, without a reason, or when it is done; and nothing else can be unblocked', async () => {
    const { state } = await runCalls(stateOf([todo(1, 'done'), todo(2), todo(3)]), blockFirst);
    await expectRejected(state, 'block_todo', { todo_id: 2, reason: 'x' }).toMatchObject({
      code: 'already_blocked',
      message: 'Todo 2 is already blocked: No access to the archive.',
    });
    for (const name of ['block_todo', 'unblock_todo']) {
      await expectRejected(state, name, { todo_id: 1, reason: 'x' }).toMatchObject({ code: 'already_done' });
      await expectRejected(state, name, { todo_id: 7, reason: 'x' }).toMatchObject({ code: 'no_such_todo' });
    }
    await expectRejected(state, 'block_todo', { reason: '  ' }).toMatchObject({ code: 'no_reason' });
    await expectRejected(state, 'unblock_todo', { todo_id: 3 }).toMatchObject({ code: 'not_blocked' });
    await expectRejected(stateOf([todo(1)]), 'unblock_todo').toMatchObject({
      code: 'not_blocked',
      message: 'No todo is blocked.',
    });
    await expectRejected(stateOf([todo(1, 'done')]), 'block_todo', { reason: 'x' }).toMatchObject({
      code: 'no_open_todo',
    });
  });

  it('is not completed on the way by a call that ends the phase', async () => {
    const { state } = await runCalls(stateOf([todo(1, 'done'), todo(2)]), blockFirst);
    await expectRejected(state, 'job_complete', { summary: 's', confidence: 1 }).toMatchObject({
      code: 'todo_blocked',
      message: expect.stringContaining('todo 2 is blocked (No access to the archive.)') as string,
    });
    const unblocked = (await runCalls(state, ['unblock_todo'])).state;
    const { contents } = await runCalls(unblocked, ['job_complete', { summary: 's', confidence: 1 }]);
    expect(contents[0]).toBe('The completion is being checked.');
  });

  it('does not end a phase that returns its result, unless the workflow allows the outcome with open todos', async () => {
    const returning = (todos: ReturnType<typeof todo>[]) =>
      buildPhaseState({
        plan: { todos, returns: { schema: 'result', maxTokens: 1_000 } },
        terms: { schemas: { result: { type: 'object' } } },
        routes: { returned: [{ outcome: 'failed', gates: [], early: true }] },
      });
    const { state } = await runCalls(returning([todo(1)]), blockFirst);
    await expectRejected(state, 'phase_return', { result: {} }).toMatchObject({ code: 'todo_blocked' });
    const early = await runCalls(state, ['phase_return', { outcome: 'failed', result: {} }]);
    expect(early.contents[0]).toBe('The result is being checked.');
  });
});

describe('todo_rewind', () => {
  it('rewinds the list once, and no later call can work on it', async () => {
    const { state } = await runCalls(stateOf([todo(1), todo(2)], { rewind }), ['todo_rewind', { issue: 'no' }]);
    for (const [name, args] of [
      ['todo_rewind', { issue: 'again' }],
      ['todo_complete', {}],
      ['complete_todo', { todo_id: 1 }],
      ['start_todo', { todo_id: 1 }],
      ['add_todo', { content: 'x' }],
      ['block_todo', { reason: 'x' }],
      ['unblock_todo', {}],
      ['archive_and_reset', {}],
    ] as const)
      await expectRejected(state, name, args).toMatchObject({ code: 'already_rewound' });
  });

  it('rejects a call when a rewind is not possible', async () => {
    await expectRejected(stateOf([todo(1)]), 'todo_rewind', { issue: 'no' }).toMatchObject({ code: 'no_rewind' });
    await expectRejected(stateOf([todo(1, 'done')], { rewind }), 'todo_rewind', { issue: 'no' }).toMatchObject({
      code: 'no_open_todo',
    });
    await expectRejected(stateOf([todo(1)], { rewind }), 'todo_rewind', { issue: '  ' }).toMatchObject({
      code: 'no_issue',
    });
  });
});

describe('planning with obligations', () => {
  const obligations = [{ phase: 2, id: 4, content: 'Sort' }];
  const names = { phase: 'Gather', description: 'Collect the sources.' };
  const items = (...contents: string[]) => ({ ...names, todos: contents.map((content) => ({ content })) });
  const stateWithObligations = buildPhaseState({
    plan: { todos: [todo(1)], obligations },
    routes: { exhausted: { outcome: 'finishing', gates: [] } },
  });

  it('rejects a list, a plan completion and a job completion that omit an obligation, and names it', async () => {
    const bench = new InlineToolBench(todosPack, stateWithObligations);
    const named = expect.stringContaining('2-4 "Sort"') as string;
    await expect(bench.call('todo_write', items('A', 'B', 'C', 'D', 'E'))).rejects.toMatchObject({
      code: 'bad_todos',
      message: named,
    });
    await expect(bench.call('todo_write', { plan_complete: true })).rejects.toMatchObject({ message: named });
    await expect(bench.call('job_complete', { summary: 's', confidence: 1 })).rejects.toMatchObject({
      code: 'obligations_open',
      message: named,
    });
    expect(bench.workspace.tree).toEqual({});
    await bench.call('todo_write', items('A', 'B', 'C', 'D', 'Sort'));
    await bench.call('todo_write', {
      ...names,
      todos: [...items('A', 'B', 'C', 'D').todos, { content: 'E', covers: ['2-4'] }],
    });
    expect(await bench.readText('todos.yaml')).toMatch(/covers:\s+- 2-4/);
  });

  it('names the todos that a rewritten list no longer contains', async () => {
    const bench = new InlineToolBench(todosPack, buildPhaseState({ plan: { todos: [todo(1)] } }));
    expect(await bench.call('todo_write', items('A', 'B', 'C', 'D', 'E'))).not.toContain('gone');
    const second = await bench.call('todo_write', items('A', 'X', 'C', 'Y', 'E'));
    expect(second).toContain('no longer in the list: "B"; "D".');
  });

  it('completes a plan only when the workflow defines what follows and all its items are checked', async () => {
    const plain = new InlineToolBench(todosPack, buildPhaseState({ plan: { todos: [todo(1)] } }));
    await expect(plain.call('todo_write', { plan_complete: true })).rejects.toMatchObject({
      code: 'plan_not_complete',
    });
    const bench = new InlineToolBench(
      todosPack,
      buildPhaseState({ plan: { todos: [todo(1)] }, routes: { exhausted: { outcome: 'f', gates: [] } } }),
    );
    await expect(bench.call('todo_write', { plan_complete: true, ...items('A') })).rejects.toThrow(
      /cannot be combined/,
    );
    bench.put('main_plan.md', '- [x] One\n- [ ] Two\n');
    await expect(bench.call('todo_write', { plan_complete: true })).rejects.toThrow(/still has open items: Two/);
    bench.put('main_plan.md', '- [x] One\n- [x] Two\n');
    await bench.call('todo_write', { plan_complete: true });
    expect(await bench.readText('todos.yaml')).toContain('plan_complete: true');
  });
});
