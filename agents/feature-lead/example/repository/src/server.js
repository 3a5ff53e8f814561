import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Todos } from './todos.js';

const DEFAULT_PORT = 8080;
const MAX_TITLE_CHARACTERS = 200;

/** The requests that are answered: method, pattern of the path, and the function that answers. */
const routes = [
  ['GET', /^\/health$/, () => ({ status: 200, content: { status: 'ok' } })],
  ['GET', /^\/todos$/, listTodos],
  ['POST', /^\/todos$/, addTodo],
  ['GET', /^\/todos\/(\d+)$/, ({ todos, id }) => toAnswer(todos.get(id))],
];

/** Creates a server with todos of its own. */
export function createTodoServer(todos = new Todos()) {
  return createServer(async (request, response) => {
    const { status, content } = await answer(request, todos);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  });
}

async function answer(request, todos) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  for (const [method, path, handle] of routes) {
    const match = path.exec(pathname);
    if (!match || method !== request.method) continue;
    return handle({ todos, id: Number(match[1]), query: searchParams, body: await readJson(request) });
  }
  return refuse(404, 'there is nothing at this path');
}

function listTodos({ todos }) {
  return { status: 200, content: { todos: todos.list() } };
}

function addTodo({ todos, body }) {
  const title = typeof body?.title === 'string' ? body.title.trim() : '';
  if (title === '') return refuse(400, 'a todo needs a title');
  if (title.length > MAX_TITLE_CHARACTERS) return refuse(400, 'the title is too long');
  return { status: 201, content: todos.add({ title }) };
}

function toAnswer(todo) {
  return todo ? { status: 200, content: todo } : refuse(404, 'there is no such todo');
}

function refuse(status, error) {
  return { status, content: { error } };
}

/** Reads the body of a request as JSON; undefined if it is empty or no JSON. */
async function readJson(request) {
  let text = '';
  for await (const piece of request) text += piece;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.env.PORT ?? DEFAULT_PORT);
  createTodoServer().listen(port, '127.0.0.1', () => console.log(`Todos at http://127.0.0.1:${port}`));
}
