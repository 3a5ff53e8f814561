import { afterAll, describe } from 'vitest';
import { describeGraphContract } from './graph-contract.fixture.js';
import { Neo4jGraph, Neo4jServer } from './neo4j-graph.js';

/** URL of a server whose default database may be emptied: `neo4j://user:password@host:7687`. */
const url = process.env.NEO4J_URL_FOR_TESTS;

describe.skipIf(url === undefined)('Neo4j (needs NEO4J_URL_FOR_TESTS)', () => {
  let server: Neo4jServer | undefined;
  afterAll(() => server?.close());

  describeGraphContract(async () => {
    const { username, password, protocol, host } = new URL(url!);
    server = await Neo4jServer.open({
      url: `${protocol}//${host}`,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    });
    const session = server.driver.session();
    await session.run('MATCH (n) DETACH DELETE n');
    await session.close();
    return new Neo4jGraph(server, 'neo4j');
  });
});
