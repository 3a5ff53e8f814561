import type { JsonObject } from '@phaseline/basics';
import type { RehearsalCall } from '../../../rehearsal-policy.js';
import { call } from '../../scene.js';
import { REPOSITORY } from '../example-commands.js';
import type { Try } from './try-script.js';

/** Address at which the verifier `api` of the tester reaches the service. */
export const SERVICE = 'http://127.0.0.1:8080';

/** A feature of the example, with what the coder writes in each attempt and what the tester tries. */
export interface ExampleFeature {
  readonly id: string;
  readonly description: string;
  readonly checks: readonly JsonObject[];
  readonly attempts: readonly Attempt[];
  readonly tries: readonly Try[];
}

/** What the coder writes in one attempt, and what it says about it. */
export interface Attempt {
  readonly changes: readonly RehearsalCall[];
  readonly summary: string;
  readonly decisions: readonly string[];
}

/** Replaces a passage of a file of the example. */
export function edit(path: string, oldText: string, newText: string): RehearsalCall {
  return call('edit_file', { path: `${REPOSITORY}/${path}`, old_text: oldText, new_text: newText });
}

/** Writes a file of tests that request a server of their own. */
export function writeTests(path: string, tests: string): RehearsalCall {
  return call('write_file', { path: `${REPOSITORY}/${path}`, content: `${TEST_HEAD}\n${tests}` });
}

const TEST_HEAD = `import assert from 'node:assert';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createTodoServer } from '../src/server.js';

let server;
let base;
before(async () => {
  server = createTodoServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = \`http://127.0.0.1:\${server.address().port}\`;
});
after(() => server.close());

const post = (path, body) => fetch(base + path, { method: 'POST', body: JSON.stringify(body) });
`;
