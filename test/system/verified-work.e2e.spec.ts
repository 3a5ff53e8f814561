import { createPool, EventStore } from '@phaseline/event-store';
import {
  REHEARSAL_MODEL,
  startRehearsalServer,
  type RehearsalAnswer,
  type RehearsalServer,
} from '@phaseline/rehearsal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';

const AGENT = `name: fixer
displayName: Fixer
description: Writes a function that has to pass given tests.
workflow: fix
tools:
  workspace: [read_file, write_file]
  strategic: [todo_complete, job_complete]
`;

const VERIFIER = `name: unit
kind: unit
argv: [node, --test, --test-reporter=junit, --test-reporter-destination=report.xml, documents/sum.test.mjs]
inputs: ['documents/**', 'package.json']
reads: { junit: report.xml }
minTests: 2
`;

const WORKFLOW = `name: fix
version: 1
start: work
states:
  work:
    kind: strategic
    title: Write the function
    todos:
      - content: Write src/sum.mjs, so that the tests in documents/ pass.
        checks: [{ verifier: unit }, { judge: diff-review }]
    finish: done
    outcomes:
      done: { end: completed }
`;

const TESTS = `import { test } from 'node:test';
import assert from 'node:assert';
import { sum } from '../src/sum.mjs';
test('adds', () => assert.equal(sum(1, 2), 3));
test('adds negative numbers', () => assert.equal(sum(-1, -2), -3));
`;

const WRONG = 'export const sum = (a, b) => a - b;\n';
const RIGHT = 'export const sum = (a, b) => a + b;\n';

/** Claims at once, with a wrong function, with another runner, and at last with the right function. */
const MOVES: readonly RehearsalAnswer[] = [
  { calls: [{ name: 'write_file', arguments: { path: 'src/sum.mjs', content: WRONG } }] },
  { calls: [{ name: 'todo_complete', arguments: {} }] },
  {
    calls: [
      {
        name: 'write_file',
        arguments: { path: 'report.xml', content: '<testsuites><testcase name="x"/></testsuites>' },
      },
    ],
  },
  { calls: [{ name: 'todo_complete', arguments: {} }] },
  { calls: [{ name: 'write_file', arguments: { path: 'src/sum.mjs', content: RIGHT } }] },
  { calls: [{ name: 'todo_complete', arguments: {} }] },
];

let model: RehearsalServer;
let system: AgentStack;

beforeAll(async () => {
  model = await startRehearsalServer({
    policies: [
      {
        name: 'judge',
        matches: ({ messages }) => messages[0]?.content?.includes('"objection"') === true,
        answer: () => ({ content: '{"objection": false, "reason": ""}' }),
      },
      {
        name: 'fixer',
        matches: () => true,
        answer: ({ messages }) => MOVES[messages.filter(({ role }) => role === 'assistant').length] ?? MOVES.at(-1)!,
      },
    ],
  });
  system = await startAgentStack({ fixer: AGENT }, model.baseUrl, {
    env: { PHASELINE_MODEL: REHEARSAL_MODEL },
    files: { 'agents/fixer/verifiers/unit.yaml': VERIFIER, 'workflows/fix.yaml': WORKFLOW },
  });
}, 120_000);

afterAll(async () => {
  await system.close();
  await model.close();
}, 60_000);

it('a todo is done when its verifier passes in the sandbox and the judge has no objection, and not before', async () => {
  const { client, stack } = system;
  const { jobId } = await client.submit({
    agent: 'fixer',
    documents: [{ name: 'sum.test.mjs', content: TESTS }],
  });
  const job = await client.wait(jobId, { timeoutMs: 120_000 });
  expect({ status: job.status, failure: job.failure }).toEqual({ status: 'completed' });
  const pool = createPool(stack.databaseUrl, { max: 2, applicationName: 'spec' });
  const events = await new EventStore(pool).read(`phase-${jobId}-1`);
  await pool.end();
  const runs = events.flatMap(({ type, data }) => {
    const { callId, result } = data as { readonly callId?: string; readonly result?: object };
    return type === 'ToolCallCompleted' && callId?.startsWith('claim_') ? [result] : [];
  });
  expect(runs).toMatchObject([
    { outcome: 'failed', tests: { ran: 2, failed: 2 } },
    { outcome: 'failed', tests: { ran: 2, failed: 2 } },
    { outcome: 'passed', tests: { ran: 2, passed: 2 }, changedInputs: [] },
    { outcome: 'passed' },
  ]);
  expect(events.filter(({ type }) => type === 'ClaimRefused').length).toBe(2);
  const answered = events
    .filter(({ type }) => type === 'ToolCallFailed')
    .map(({ data }) => (data as { message: string }).message);
  expect(answered[0]).toMatch(/verifier unit.*2/s);
  expect(answered.join('\n')).not.toContain('AssertionError');
});
