import type { JsonValue } from '@phaseline/basics';

/** A request to the service, and what a person expects of its answer. */
export interface Try {
  /** What is tried, for people. */
  readonly tried: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: JsonValue;
  readonly status: number;
  readonly contains?: string;
}

/** A request that was sent, and what was seen. */
export interface Tried {
  readonly tried: string;
  readonly works: boolean;
  readonly seen: string;
}

/** Builds a script for Node.js that starts the service, sends the requests in order, and prints one JSON object per request. */
export function buildTryScript(tries: readonly Try[]): string {
  return `import { once } from 'node:events';
import { createTodoServer } from './src/server.js';

const server = createTodoServer().listen(0, '127.0.0.1');
await once(server, 'listening');
for (const { tried, method = 'GET', path, body, status, contains = '' } of ${JSON.stringify(tries)}) {
  const url = 'http://127.0.0.1:' + server.address().port + path;
  const response = await fetch(url, { method, body: body && JSON.stringify(body) });
  const text = await response.text();
  const works = response.status === status && text.includes(contains);
  const expected = works ? '' : ', expected ' + status + (contains === '' ? '' : ' with ' + contains);
  console.log(JSON.stringify({ tried, works, seen: 'The answer was ' + response.status + ' ' + text + expected + '.' }));
}
server.close();
server.closeAllConnections();
`;
}

/** Reads what the script printed from the result of its command. */
export function parseTried(result: string): readonly Tried[] {
  return [...result.matchAll(/^\{"tried":.*\}$/gm)].map(([line]) => JSON.parse(line) as Tried);
}
