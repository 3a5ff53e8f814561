import { expect, it } from 'vitest';
import { Neo4jGraph, Neo4jServer } from './neo4j-graph.js';

const limits = { maxRows: 1, timeoutMs: 1_000 };

it('refuses queries that write or reach beyond the graph before contacting the server, and reports an outage', async () => {
  // No server listens on this port.
  const server = await Neo4jServer.open({ url: 'bolt://127.0.0.1:1', user: 'neo4j', password: 'x', retryMs: 100 });
  const graph = new Neo4jGraph(server, 'neo4j');
  for (const query of [
    'MATCH (n) SET n.x = 1 RETURN n',
    "LOAD CSV FROM 'file:///x' AS l RETURN l",
    'CALL apoc.load.json($u)',
  ])
    await expect(graph.read(query, {}, limits)).rejects.toMatchObject({ code: 'read_only' });
  await expect(graph.read("MATCH (n:Set {name: 'DELETE'}) RETURN n.create", {}, limits)).rejects.toMatchObject({
    code: 'graph_unavailable',
    retryable: true,
  });
  await server.close();
});
