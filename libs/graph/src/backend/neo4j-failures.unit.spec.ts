import { afterEach, expect, it } from 'vitest';
import { startFakeBoltServer, type BoltScript, type FakeBoltServer } from './fake-bolt-server.fixture.js';
import { Neo4jGraph, Neo4jServer } from './neo4j-graph.js';

/*
 * How the adapter reports what goes wrong on the wire. Whether its queries are right is tested by the contract suite on a real server
 * (neo4j-graph.int.spec.ts), where one can be had.
 */
const limits = { maxRows: 10, timeoutMs: 5_000 };
const opened: { fake: FakeBoltServer; server: Neo4jServer }[] = [];
afterEach(async () => {
  for (const { fake, server } of opened.splice(0)) {
    await server.close();
    await fake.close();
  }
});

async function open(script: BoltScript): Promise<{ graph: Neo4jGraph; fake: FakeBoltServer }> {
  const fake = await startFakeBoltServer(script);
  const server = await Neo4jServer.open({ url: fake.url, user: 'neo4j', password: 'swordfish', retryMs: 200 });
  opened.push({ fake, server });
  return { graph: new Neo4jGraph(server, 'neo4j'), fake };
}

const syntax = { code: 'Neo.ClientError.Statement.SyntaxError', message: "Invalid input 'FRIEND'" };
const unauthorized = {
  code: 'Neo.ClientError.Security.Unauthorized',
  message: 'The client is unauthorized: swordfish',
};
const busy = { code: 'Neo.TransientError.General.DatabaseUnavailable', message: 'Starting.' };
const slow = {
  code: 'Neo.ClientError.Transaction.TransactionTimedOut',
  message: 'The transaction has been terminated.',
};

it.each<[string, BoltScript, string, boolean]>([
  ['hangs up before the handshake', { handshake: 'hang-up' }, 'graph_unavailable', true],
  ['refuses the login', { login: unauthorized }, 'graph_login_refused', false],
  ['hangs up during a query', { queries: [] }, 'graph_unavailable', true],
  ['rejects the query', { queries: [syntax] }, 'bad_query', false],
  ['stops a slow query', { queries: [slow, slow, slow] }, 'query_timeout', false],
  [
    'stays busy longer than the driver retries',
    { queries: Array.from({ length: 50 }, () => busy) },
    'graph_unavailable',
    true,
  ],
])('a server that %s', async (_what, script, code, retryable) => {
  const { graph } = await open(script);
  const failed = graph.read('MATCH (n) RETURN n', {}, limits);
  await expect(failed).rejects.toMatchObject({ name: 'ToolError', code, retryable });
  await expect(failed).rejects.not.toThrow(/swordfish/);
});

it('tells the model why a query was rejected', async () => {
  const { graph } = await open({ queries: [syntax] });
  await expect(graph.read('MATCH (n) RETURN n', {}, limits)).rejects.toThrow("Invalid input 'FRIEND'");
});

it('does not retry a query that was rejected', async () => {
  const { graph, fake } = await open({ queries: [syntax, syntax] });
  await expect(graph.read('MATCH (n) RETURN n', {}, limits)).rejects.toThrow();
  expect(fake.queries()).toBe(1);
});

it('reports a server that speaks no version of the protocol', async () => {
  const { graph } = await open({ handshake: 'none' });
  await expect(graph.read('MATCH (n) RETURN n', {}, limits)).rejects.toThrow(/protocol|support/i);
});
