import { createPool, EventStore, type Subscription } from '@phaseline/event-store';
import { call, calls, createThreePhasePolicy, DO_THE_TODO, Engine, parsePrompt } from '@phaseline/harness';
import { AgentTraces, createLearningTracesProjection } from '@phaseline/learning';
import { createLearningPack } from '@phaseline/remote-packs';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPackHost } from '../../apps/tool-runner/src/storing-packs.js';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let projection: Subscription;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  store = new EventStore(pool);
  projection = createLearningTracesProjection(pool, { pollMs: 10 });
  await projection.start();
});
afterAll(async () => {
  await projection.close();
  await store.close();
  await pool.end();
  await database.drop();
});

const note = {
  type: 'violation',
  happened: 'Rounded prices before the tax was added.',
  correct: 'Add the tax first.',
  reason: 'other',
};
const tactical = ['todo_complete', 'store_trace', 'query_traces', 'get_trace', 'extract_patterns'];
const agent = { tools: { workspace: ['read_file'], tactical } } as never;

it('an agent finds what it stored and what was denied, and reads it; another job of the same agent does not', async () => {
  const packs = [createLearningPack(createPackHost(pool, store), new AgentTraces(pool))];
  const answers: string[] = [];
  const storing = new Engine({
    store,
    packs,
    agent,
    policy: createThreePhasePolicy(async (request) => {
      const { turn, last } = parsePrompt(request);
      if (turn === 0) return call('store_trace', note);
      if (turn === 1) return call('get_trace', { id: 'no id' });
      if (turn === 2) {
        const count = async () => (await pool.query('SELECT FROM phaseline.learning_traces')).rowCount;
        await expect.poll(count).toBe(2);
        return call('query_traces', { text: 'taxes and rounding of a price' });
      }
      answers.push(last);
      if (turn === 3) return call('get_trace', { id: /[0-9a-f-]{36}/.exec(last)![0], level: 'full' });
      return DO_THE_TODO;
    }),
  });
  const jobId = await storing.submitAndRun({ tenant: 'red' });
  expect((await storing.loadJob(jobId)).status).toBe('completed');
  const [list, whole] = answers;
  expect(list).toMatch(/^[0-9a-f-]{36} \d{4}-\d\d-\d\d violation tester: note other$/);
  expect(whole).toContain('Happened: Rounded prices before the tax was added.\nCorrect: Add the tax first.');

  const { rows } = await pool.query<{ id: string; action: string; reason: string; todo: number }>(
    'SELECT id, action, reason, todo FROM phaseline.learning_traces ORDER BY position',
  );
  expect(rows).toMatchObject([
    { action: 'note', todo: 1 },
    { action: 'call_tool', reason: 'bad_arguments', todo: 1 },
  ]);
  const found: string[] = [];
  const other = new Engine({
    store,
    packs,
    agent,
    policy: createThreePhasePolicy((request) => {
      const { turn, last } = parsePrompt(request);
      if (turn === 0) return call('query_traces');
      found.push(last);
      return turn === 1 ? call('get_trace', { id: rows[0]!.id }) : DO_THE_TODO;
    }),
  });
  await other.submitAndRun({ tenant: 'red' });
  expect(found).toEqual(['No learning trace matches.', expect.stringContaining('There is no learning trace')]);
});

it('a mistake that a job made five times is a pattern in that job, and in no other', async () => {
  const packs = [createLearningPack(createPackHost(pool, store), new AgentTraces(pool))];
  const answers: string[] = [];
  const five = Array.from({ length: 5 }, (_, index): [string, object] => ['get_trace', { id: `no id ${index}` }]);
  const createEngine = (first: ReturnType<typeof call>) =>
    new Engine({
      store,
      packs,
      agent: { ...(agent as object), limits: { deniedCalls: 100 }, stuck: { enabled: false } } as never,
      policy: createThreePhasePolicy(async (request) => {
        const { turn, last } = parsePrompt(request);
        if (turn === 0) return first;
        if (turn === 1) {
          const mistakes = `SELECT FROM phaseline.learning_traces WHERE reason = 'bad_arguments' AND happened LIKE '%no id 4%'`;
          await expect.poll(async () => (await pool.query(mistakes)).rowCount).toBe(1);
          return call('extract_patterns', { agent: 'tester' });
        }
        answers.push(last);
        return DO_THE_TODO;
      }),
    });
  await createEngine(calls(...five)).submitAndRun({ tenant: 'red' });
  await createEngine(call('query_traces')).submitAndRun({ tenant: 'red' });
  expect(answers).toEqual([
    expect.stringMatching(
      /^5 times in 1 job, [-\d]{10} to [-\d]{10}, by tester: bad_arguments, at PreToolUse, get_trace \(id:string\), a person may choose: change_instructions, newest: [-0-9a-f]{36}$/,
    ),
    'No mistake was made five times.',
  ]);
});
