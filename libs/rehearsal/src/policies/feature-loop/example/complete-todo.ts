import { edit, SERVICE, writeTests, type ExampleFeature } from './example-feature.js';

const ROUTE = "  ['GET', /^\\/todos\\/(\\d+)$/, ({ todos, id }) => toAnswer(todos.get(id))],\n";
const GET = '  /** Returns the todo with this id, or undefined. */\n';

/** A feature that works at once. */
export const completeTodo: ExampleFeature = {
  id: 'complete-todo',
  description:
    'A todo can be marked as done: POST /todos/1/done answers with the todo, and GET /todos/1 shows it as done.',
  checks: [
    { verifier: 'unit', tests: ['marks a todo as done', 'cannot mark a todo that does not exist'] },
    {
      verifier: 'api',
      requests: [
        { method: 'POST', url: `${SERVICE}/todos`, body: { title: 'Buy milk' }, status: 201 },
        { method: 'POST', url: `${SERVICE}/todos/1/done`, contains: '"done":true' },
        { url: `${SERVICE}/todos/1`, contains: '"done":true' },
      ],
    },
  ],
  attempts: [
    {
      changes: [
        edit(
          'src/server.js',
          ROUTE,
          `${ROUTE}  ['POST', /^\\/todos\\/(\\d+)\\/done$/, ({ todos, id }) => toAnswer(todos.complete(id))],\n`,
        ),
        edit(
          'src/todos.js',
          GET,
          `  /** Marks a todo as done and returns it, or undefined. */
  complete(id) {
    const todo = this.#byId.get(id);
    if (todo) todo.done = true;
    return todo;
  }

${GET}`,
        ),
        writeTests(
          'test/complete-todo.test.js',
          `test('marks a todo as done', async () => {
  await post('/todos', { title: 'Buy milk' });
  const done = { id: 1, title: 'Buy milk', done: true };
  assert.deepEqual(await (await post('/todos/1/done')).json(), done);
  assert.deepEqual(await (await fetch(\`\${base}/todos/1\`)).json(), done);
});

test('cannot mark a todo that does not exist', async () => {
  assert.equal((await post('/todos/99/done')).status, 404);
});
`,
        ),
      ],
      summary: 'POST /todos/1/done marks a todo as done.',
      decisions: ['Marking a todo twice is no error, because the result is the same.'],
    },
  ],
  tries: [
    { tried: 'add a todo', method: 'POST', path: '/todos', body: { title: 'Call Ada' }, status: 201 },
    { tried: 'mark it as done', method: 'POST', path: '/todos/1/done', status: 200, contains: '"done":true' },
    { tried: 'mark it again', method: 'POST', path: '/todos/1/done', status: 200, contains: '"done":true' },
    { tried: 'mark one that does not exist', method: 'POST', path: '/todos/7/done', status: 404 },
  ],
};
