import { edit, SERVICE, writeTests, type ExampleFeature } from './example-feature.js';

const TEST = 'test/search-todos.test.js';
const WRONG_FILTER = '({ title }) => title.includes(text)';
const WRONG_SEARCH = "assert.deepEqual(await search('Milk'), ['Buy Milk']);";

/** A feature whose first attempt distinguishes upper and lower case, with a test that does not notice. */
export const searchTodos: ExampleFeature = {
  id: 'search-todos',
  description:
    'Todos can be searched: GET /todos?q=milk answers with the todos whose titles contain the text. Upper and lower case do not matter.',
  checks: [
    { verifier: 'unit', tests: ['finds todos by a part of their title', 'finds todos in upper and lower case'] },
    {
      verifier: 'api',
      requests: [
        { method: 'POST', url: `${SERVICE}/todos`, body: { title: 'Buy Milk' }, status: 201 },
        { url: `${SERVICE}/todos?q=MILK`, contains: 'Buy Milk' },
        { url: `${SERVICE}/todos?q=bread`, contains: '"todos":[]' },
      ],
    },
  ],
  attempts: [
    {
      changes: [
        edit(
          'src/server.js',
          'function listTodos({ todos }) {\n  return { status: 200, content: { todos: todos.list() } };',
          "function listTodos({ todos, query }) {\n  return { status: 200, content: { todos: todos.list(query.get('q') ?? '') } };",
        ),
        edit(
          'src/todos.js',
          '  /** Returns all todos in the order of their ids. */\n  list() {\n    return [...this.#byId.values()];',
          `  /** Returns the todos whose titles contain the text, in the order of their ids. */\n  list(text = '') {\n    return [...this.#byId.values()].filter(${WRONG_FILTER});`,
        ),
        writeTests(
          TEST,
          `const search = async (text) => {
  const { todos } = await (await fetch(\`\${base}/todos?q=\${text}\`)).json();
  return todos.map(({ title }) => title);
};

test('finds todos by a part of their title', async () => {
  await post('/todos', { title: 'Buy Milk' });
  await post('/todos', { title: 'Call Ada' });
  assert.deepEqual(await search('Ada'), ['Call Ada']);
  assert.deepEqual(await search('bread'), []);
});

test('finds todos in upper and lower case', async () => {
  ${WRONG_SEARCH}
});
`,
        ),
      ],
      summary: 'GET /todos?q= searches the titles.',
      decisions: ['An empty text finds all todos, as before.'],
    },
    {
      changes: [
        edit('src/todos.js', WRONG_FILTER, '({ title }) => title.toLowerCase().includes(text.toLowerCase())'),
        edit(
          TEST,
          WRONG_SEARCH,
          "for (const text of ['milk', 'MILK']) assert.deepEqual(await search(text), ['Buy Milk']);",
        ),
      ],
      summary: 'The search compares in lower case now, and its test uses other letters than the title.',
      decisions: ['Titles are compared in lower case, and shown as they were written.'],
    },
  ],
  tries: [
    { tried: 'add a todo', method: 'POST', path: '/todos', body: { title: 'Buy Milk' }, status: 201 },
    { tried: 'search for a part of it', path: '/todos?q=Mil', status: 200, contains: 'Buy Milk' },
    { tried: 'search in upper case', path: '/todos?q=MILK', status: 200, contains: 'Buy Milk' },
    { tried: 'search for nothing', path: '/todos?q=', status: 200, contains: 'Buy Milk' },
  ],
};
