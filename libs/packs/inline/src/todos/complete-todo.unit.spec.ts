import { describe, expect, it } from 'vitest';
import { buildPhaseState, InlineToolBench } from '@phaseline/tools/testing';
import { todosPack } from './todos-pack.js';

const todo = (id: number, status: 'open' | 'done' = 'open') => ({ id, content: `Do thing ${id}`, status });
const bench = (...todos: ReturnType<typeof todo>[]) =>
  new InlineToolBench(todosPack, buildPhaseState({ plan: { todos } }));
const names = { phase: 'One', description: 'Collect the sources.' };
const items = (count: number) => Array.from({ length: count }, (_, index) => ({ content: `Step ${index + 1}` }));

describe('todo_write', () => {
  it('writes a plan that passes the gate, and numbers todos without an id', async () => {
    const tools = bench();
    await tools.call('todo_write', { ...names, todos: items(5) });
    expect(await tools.readText('todos.yaml')).toContain('- id: 5\n    content: Step 5');
  });

  it.each([3, 40])('rejects a plan of %i todos and writes nothing', async (count) => {
    const tools = bench();
    await expect(tools.call('todo_write', { ...names, todos: items(count) })).rejects.toThrow(/5 to 20 todos/);
    expect(tools.workspace.tree).toEqual({});
  });

  it.each([
    ['phase', { description: 'Collect the sources.' }, "'phase' must name the phase."],
    ['objective', { phase: 'One', description: ' ' }, "'description' must state the objective of the phase."],
  ])('rejects a plan without a %s, and names what is missing beside the other problems', async (_, given, message) => {
    const tools = bench();
    await expect(tools.call('todo_write', { ...given, todos: items(5) })).rejects.toMatchObject({
      code: 'bad_todos',
      message: `Not written: ${message}`,
    });
    await expect(tools.call('todo_write', { ...given, todos: items(3) })).rejects.toThrow(
      `expected 5 to 20 todos, found 3. ${message}`,
    );
    expect(tools.workspace.tree).toEqual({});
  });
});

describe('todo_complete', () => {
  it('completes the first open todo and names the next', async () => {
    const outcome = await bench(todo(1, 'done'), todo(2), todo(3)).run('todo_complete', { notes: 'went well' });
    expect(outcome.content).toContain('Next: 3. Do thing 3');
    expect(outcome.events).toEqual([
      { type: 'TodoCompleted', data: { todoId: 2, callId: 'call_1', note: 'went well' } },
    ]);
  });

  it('is rejected when all todos are done', async () => {
    await expect(bench(todo(1, 'done')).call('todo_complete')).rejects.toMatchObject({ code: 'no_open_todo' });
  });
});

describe('job_complete', () => {
  const args = { summary: 'done', deliverables: ['./output/a.md'], confidence: 0.9 };

  it('is rejected while more than one todo is open', async () => {
    await expect(bench(todo(1), todo(2)).call('job_complete', args)).rejects.toMatchObject({ code: 'todos_open' });
  });

  it('completes the last todo with the job', async () => {
    const outcome = await bench(todo(1, 'done'), todo(2)).run('job_complete', args);
    expect(outcome.events).toMatchObject([
      { type: 'TodoCompleted', data: { todoId: 2 } },
      {
        type: 'JobCompletionProposed',
        data: { completion: { summary: 'done', deliverables: ['output/a.md'], confidence: 0.9 } },
      },
    ]);
  });
});
