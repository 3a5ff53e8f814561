import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { RemoteTool, ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStoringPacks, createPackHost } from '../../apps/tool-runner/src/storing-packs.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import { Engine, call, calls, createThreePhasePolicy, parsePrompt } from '@phaseline/harness';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let packs: readonly ToolPack[];
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 12 });
  store = new EventStore(pool);
  const config = toolRunnerConfig.parse({ DATABASE_URL: database.serviceUrl });
  packs = createStoringPacks(config, createPackHost(pool, store)).packs;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const requirement = {
  id: 'REQ-1',
  text: 'The gate must be closed.',
  modality: 'obligation',
  citation: { document: 'documents/a.md', quote: 'The gate must be closed.' },
  confidence: 0.9,
};
const domain = [
  'write_requirement_to_cache',
  'claim_requirements_from_cache',
  'create_requirement_node',
  'execute_cypher_update',
  'semantic_search',
];
const agent = {
  tools: {
    workspace: ['write_file'],
    strategic: ['todo_write', 'todo_complete', 'job_complete'],
    tactical: ['todo_complete'],
    domain,
  },
};

/** Wraps the remote tools so that the first attempt of each call hangs after its effect and before it reports its result. */
function killFirstAttempts(): { readonly packs: readonly ToolPack[]; readonly killedCalls: string[] } {
  const killedCalls: string[] = [];
  const killFirstAttempt = (tool: RemoteTool): RemoteTool => ({
    ...tool,
    async run(context, input) {
      const outcome = await tool.run(context, input);
      if (killedCalls.includes(context.callId)) return outcome;
      killedCalls.push(context.callId);
      return new Promise(() => undefined);
    },
  });
  const wrapped = packs.map((pack) => ({
    ...pack,
    tools: pack.tools.map((tool) => (tool.lane === 'remote' ? killFirstAttempt(tool) : tool)),
  }));
  return { packs: wrapped, killedCalls };
}

it('has one effect per call, even if its tool-runner died between the effect and the log', async () => {
  const policy = createThreePhasePolicy((request) => {
    if (parsePrompt(request).turn > 0) return call('todo_complete');
    return calls(
      ['write_file', { path: 'notes/gate.md', content: 'The gate is closed at ten.' }],
      ['write_requirement_to_cache', { requirements: [requirement] }],
      ['create_requirement_node', { text: requirement.text }],
      ['execute_cypher_update', { query: 'CREATE (c:Count {n: 1})' }],
      ['semantic_search', { query: 'closed gates' }],
    );
  });
  const { packs: fragilePacks, killedCalls } = killFirstAttempts();
  const engine = new Engine({ store, policy, packs: fragilePacks, agent });
  const jobId = await engine.submit({ tenant: 'acme' });
  await engine.driver.advance(jobId);
  for (let guard = 0; guard < 100 && engine.messages.length > 0; guard += 1) {
    const message = engine.messages.shift()!;
    if (message.queue === 'tools') {
      // The first tool-runner never finishes; the second one takes over its message.
      const before = killedCalls.length;
      void engine.deliver(message, engine.worker(), engine.toolRunner('dying-runner'));
      await expect.poll(() => killedCalls.length).toBe(before + 1);
      await engine.deliver(message, engine.worker(), engine.toolRunner('takeover-runner'));
    } else await engine.deliver(message, engine.worker(), engine.toolRunner());
    await engine.driver.advance(jobId);
  }
  expect(killedCalls).toHaveLength(4);
  const ends = (await engine.phaseEvents(jobId, 2)).filter(({ type }) => /^ToolCall(?:Completed|Failed)$/.test(type));
  const contents = ends.map(({ data }) => String(data.content));
  expect(contents.find((content) => content.startsWith('Wrote 1 '))).toMatch(
    /^Wrote 1 of 1 requirements; 0 were already in the cache/,
  );
  expect(contents.find((content) => content.startsWith('Created'))).toBeDefined();
  expect(contents.find((content) => content.includes('notes/gate.md, lines 1–1'))).toBeDefined();
  const count = async (text: string): Promise<unknown> => (await pool.query(text)).rows[0];
  expect(
    await count(`SELECT count(*)::integer AS n, min(collection) AS collection FROM phaseline.cached_requirements`),
  ).toEqual({
    n: 1,
    collection: 'acme',
  });
  expect(
    await count(`SELECT count(*)::integer AS n FROM phaseline.graph_nodes WHERE graph = 'acme' AND labels = '{Count}'`),
  ).toEqual({ n: 1 });
  expect((await engine.loadJob(jobId)).status).toBe('completed');
});

it('hands requirements from one job to another of the same tenant', async () => {
  const text = 'The crane must be locked.';
  const creator = new Engine({
    store,
    packs,
    agent,
    policy: createThreePhasePolicy((request) =>
      parsePrompt(request).turn > 0
        ? call('todo_complete')
        : call('write_requirement_to_cache', { requirements: [{ ...requirement, id: 'REQ-2', text }] }),
    ),
  });
  let claimed = '';
  const validator = new Engine({
    store,
    packs,
    agent,
    policy: createThreePhasePolicy((request) => {
      const { turn, last } = parsePrompt(request);
      if (turn === 0) return call('claim_requirements_from_cache', { limit: 5 });
      if (last.includes('Claimed')) claimed = last;
      return call('todo_complete');
    }),
  });
  const [first, second] = [await creator.submit({ tenant: 'b' }), await validator.submit({ tenant: 'b' })];
  await creator.run(first);
  await validator.run(second);
  expect(claimed).toContain(text);
  expect(claimed).toMatch(/^Claimed 1 until /);
});
