import assert from 'node:assert';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createTodoServer } from '../src/server.js';

let server;
let base;
before(async () => {
  server = createTodoServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

const post = (path, body) => fetch(base + path, { method: 'POST', body: JSON.stringify(body) });

test('answers that it is healthy', async () => {
  assert.deepEqual(await (await fetch(`${base}/health`)).json(), { status: 'ok' });
});

test('keeps a todo', async () => {
  const response = await post('/todos', { title: ' Buy milk ' });
  assert.equal(response.status, 201);
  const todo = await response.json();
  assert.deepEqual(todo, { id: 1, title: 'Buy milk', done: false });
  assert.deepEqual(await (await fetch(`${base}/todos/1`)).json(), todo);
  assert.deepEqual(await (await fetch(`${base}/todos`)).json(), { todos: [todo] });
});

test('refuses a todo without a title', async () => {
  for (const body of [{}, { title: '  ' }, { title: 7 }]) assert.equal((await post('/todos', body)).status, 400);
});

test('answers 404 for a todo that does not exist', async () => {
  assert.equal((await fetch(`${base}/todos/99`)).status, 404);
});
