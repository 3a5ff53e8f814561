import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Graph, GraphLimits, PlainValue } from '../graph.js';

const limits: GraphLimits = { maxRows: 100, timeoutMs: 20_000 };

/** Contract suite for graph backends, in the Cypher subset that all of them support. The graph must be empty. */
export function describeGraphContract(open: () => Promise<Graph>): void {
  let graph: Graph;
  const jobId = randomUUID();
  const change = (query: string, parameters = {}, callId: string = randomUUID()): Promise<string> =>
    graph.change({ jobId, callId }, limits, async (ask) => JSON.stringify((await ask(query, parameters)).rows));
  const rows = async (query: string, parameters = {}): Promise<readonly (readonly PlainValue[])[]> =>
    (await graph.read(query, parameters, limits)).rows;
  const one = async (query: string, parameters = {}): Promise<readonly PlainValue[]> =>
    (await rows(query, parameters))[0] ?? [];

  beforeAll(async () => {
    graph = await open();
    await change(
      `CREATE (ada:Person {name: 'Ada', age: 36, tags: ['maths', 'code']}), (bob:Person {name: 'Bob', age: 41}),
              (cyd:Person:Admin {name: "Cyd's", age: 25}), (acme:Firm {name: 'Acme'}),
              (ada)-[:KNOWS {since: 1840}]->(bob), (bob)-[:KNOWS {since: 1850}]->(cyd), (ada)-[:WORKS_AT]->(acme), (cyd)-[:WORKS_AT]->(acme)`,
    );
  });

  it.each<[string, PlainValue[][], object?]>([
    [`MATCH (p:Person) RETURN p.name ORDER BY p.age DESC`, [['Bob'], ['Ada'], ["Cyd's"]]],
    [`MATCH (p:Person {name: $name}) RETURN p.age`, [[36]], { name: 'Ada' }],
    [
      `MATCH (p:Person) WHERE p.name = $name OR p.age < 30 RETURN p.name ORDER BY p.name`,
      [['Bob'], ["Cyd's"]],
      { name: 'Bob' },
    ],
    [`MATCH (p:Person) WHERE NOT p:Admin AND p.name STARTS WITH 'A' RETURN p.name`, [['Ada']]],
    [
      `MATCH (a)-[k:KNOWS]->(b) RETURN a.name, k.since, b.name ORDER BY k.since`,
      [
        ['Ada', 1840, 'Bob'],
        ['Bob', 1850, "Cyd's"],
      ],
    ],
    [`MATCH (b {name: 'Bob'})--(x) RETURN x.name ORDER BY x.name`, [['Ada'], ["Cyd's"]]],
    [`MATCH (b {name: 'Bob'})<-[:KNOWS|WORKS_AT]-(x) RETURN x.name`, [['Ada']]],
    [`MATCH (a {name: 'Ada'})-[:KNOWS*1..3]->(x) RETURN x.name ORDER BY x.name`, [['Bob'], ["Cyd's"]]],
    [`MATCH (a {name: 'Ada'})-[:KNOWS*2]->(x) RETURN x.name`, [["Cyd's"]]],
    [
      `MATCH p = (a {name: 'Ada'})-[:KNOWS*]->(x:Admin) RETURN length(p), [n IN nodes(p) | n.name]`,
      [[2, ['Ada', 'Bob', "Cyd's"]]],
    ],
    // An edge is used at most once per MATCH, so no person is their own colleague.
    [
      `MATCH (x:Person)-[:WORKS_AT]->(f)<-[:WORKS_AT]-(y) RETURN x.name, y.name ORDER BY x.name`,
      [
        ['Ada', "Cyd's"],
        ["Cyd's", 'Ada'],
      ],
    ],
    [
      `MATCH (x:Person)-[:WORKS_AT]->(f), (y:Person)-[:WORKS_AT]->(f) WHERE x.age > y.age RETURN x.name, y.name`,
      [['Ada', "Cyd's"]],
    ],
    [
      `MATCH (p:Person) OPTIONAL MATCH (p)-[:WORKS_AT]->(f) RETURN p.name, f.name ORDER BY p.name`,
      [
        ['Ada', 'Acme'],
        ['Bob', null],
        ["Cyd's", 'Acme'],
      ],
    ],
    [`MATCH (p:Person) WHERE (p)-[:WORKS_AT]->() RETURN count(*) AS n`, [[2]]],
    [
      `MATCH (p:Person) WHERE NOT EXISTS { MATCH (p)-[:KNOWS]->(q) WHERE q.age > 30 } RETURN p.name ORDER BY p.name`,
      [['Bob'], ["Cyd's"]],
    ],
    [
      `MATCH (p:Person) RETURN p.name, COUNT { (p)-[:KNOWS]-() } AS n ORDER BY n DESC, p.name LIMIT 2`,
      [
        ['Bob', 2],
        ['Ada', 1],
      ],
    ],
    [
      `MATCH (p:Person)-[:WORKS_AT]->(f) RETURN f.name, count(p) AS n, collect(p.name) AS names`,
      [['Acme', 2, ['Ada', "Cyd's"]]],
    ],
    [`MATCH (p:Person) RETURN sum(p.age), min(p.age), max(p.name), avg(p.age) > 33`, [[102, 25, "Cyd's", true]]],
    [`MATCH (p:Nobody) RETURN count(*) AS n, collect(p.name) AS names`, [[0, []]]],
    [`MATCH (p:Person) WITH p.age > 30 AS old, count(*) AS n WHERE n > 1 RETURN old, n`, [[true, 2]]],
    [`UNWIND $list AS x RETURN DISTINCT x % 2 AS odd ORDER BY odd`, [[0], [1]], { list: [1, 2, 3] }],
    [`UNWIND [3, null, 1] AS x RETURN x ORDER BY x SKIP 1`, [[3], [null]]],
    [
      `MATCH (p:Person) RETURN p.name AS name UNION MATCH (f:Firm) RETURN f.name AS name`,
      [['Ada'], ['Bob'], ["Cyd's"], ['Acme']],
    ],
    [`MATCH (p:Person {name: 'Ada'}) RETURN p {.name, n: size(p.tags)} AS p`, [[{ name: 'Ada', n: 2 }]]],
    [`MATCH (p:Person) WHERE any(t IN p.tags WHERE t CONTAINS 'ath') RETURN p.name`, [['Ada']]],
    [`MATCH (p:Person) WHERE 'code' IN p.tags RETURN p.tags[0], p.tags[-1]`, [['maths', 'code']]],
    [
      `RETURN CASE WHEN 1 < 2 <= 2 THEN 'yes' ELSE 'no' END AS a, coalesce(null, 7) AS b, 7 / 2 AS c, 1 + 2 * 3 AS d`,
      [['yes', 7, 3, 7]],
    ],
    [
      `RETURN null = null AS a, null IS NULL AS b, NOT (true AND false) AS c, 'a' + 'b' AS d, 2 IN [1, null] AS e`,
      [[null, true, true, 'ab', null]],
    ],
    [`RETURN 'it''s' IS NOT NULL AS a`.replace("''", "\\'"), [[true]]],
    [
      `RETURN toUpper('ä') AS a, split('a,b', ',') AS b, range(1, 3) AS c, [x IN range(1, 4) WHERE x % 2 = 0 | x * x] AS d`,
      [['Ä', ['a', 'b'], [1, 2, 3], [4, 16]]],
    ],
    [
      `MATCH (p:Person)-[r]->() RETURN DISTINCT labels(p) AS l, type(r) AS t ORDER BY t, size(l)`,
      [
        [['Person'], 'KNOWS'],
        [['Person'], 'WORKS_AT'],
        [['Person', 'Admin'], 'WORKS_AT'],
      ],
    ],
    [`MATCH (p:Person) WITH p ORDER BY p.age LIMIT 2 RETURN collect(p.name) AS names`, [[["Cyd's", 'Ada']]]],
  ])('answers %s', async (query, expected, parameters = {}) => {
    const found = await rows(query, parameters);
    const sorted = (list: readonly (readonly PlainValue[])[]): string[] =>
      list.map((row) => JSON.stringify(row)).sort();
    if (/ORDER BY/.test(query) || expected.length < 2) expect(found).toEqual(expected);
    else expect(sorted(found)).toEqual(sorted(expected));
  });

  it('returns nodes and relationships as plain data', async () => {
    const [node, edge] = await one(`MATCH (a {name: 'Ada'})-[r:KNOWS]->() RETURN a, r`);
    expect(node).toMatchObject({ node: { labels: ['Person'], properties: { name: 'Ada', age: 36 } } });
    expect(edge).toMatchObject({ relationship: { type: 'KNOWS', properties: { since: 1840 } } });
  });

  it.each([
    `CREATE (:Person {name: 'Eve'})`,
    `MATCH (p:Person) SET p.age = 1 RETURN p`,
    `MATCH (p:Person) DETACH DELETE p`,
    `MATCH (p) RETURN p.name AS name UNION MERGE (q:Person {name: 'Eve'}) RETURN q.name AS name`,
    `CALL { CREATE (:Person {name: 'Eve'}) } RETURN 1`,
    `LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line`,
  ])('refuses to write in a read: %s', async (query) => {
    await expect(rows(query)).rejects.toMatchObject({ code: expect.stringMatching(/read_only|unsupported/) as string });
    expect(await one(`MATCH (p:Person) RETURN count(*) AS n, max(p.age) AS age`)).toEqual([3, 41]);
  });

  it('treats a value that looks like a query as a value', async () => {
    const name = `x'}) DETACH DELETE n //`;
    expect(await rows(`MATCH (n {name: $name}) RETURN n`, { name })).toEqual([]);
    await change(`CREATE (:Odd {name: $name})`, { name });
    expect(await one(`MATCH (n:Odd) RETURN n.name`)).toEqual([name]);
    await change(`MATCH (n:Odd) DETACH DELETE n`);
  });

  it('changes the graph once for a repeated call, also concurrently, and returns the same result', async () => {
    const callId = randomUUID();
    const createCounter = (): Promise<string> =>
      change(`CREATE (c:Counter {by: $by}) RETURN c.by`, { by: callId }, callId);
    const answers = await Promise.all(Array.from({ length: 5 }, createCounter));
    expect(new Set(answers).size).toBe(1);
    expect(await createCounter()).toBe(answers[0]);
    expect(await one(`MATCH (c:Counter) RETURN count(*) AS n`)).toEqual([1]);
  });

  it('rolls back a change that fails halfway, and lets the call be retried', async () => {
    const callId = randomUUID();
    const failing = graph.change({ jobId, callId }, limits, async (ask) => {
      await ask(`CREATE (:Half {by: 1})`);
      throw new Error('the process was about to die');
    });
    await expect(failing).rejects.toThrow('about to die');
    expect(await one(`MATCH (h:Half) RETURN count(*) AS n`)).toEqual([0]);
    await change(`CREATE (:Half {by: 2})`, {}, callId);
    expect(await one(`MATCH (h:Half) RETURN h.by`)).toEqual([2]);
  });

  it('creates one node for concurrent merges of the same key', async () => {
    const merge = `MERGE (m:Merged {key: $key}) ON CREATE SET m.n = 1 ON MATCH SET m.n = m.n + 1`;
    // Without a constraint on the key, MERGE alone does not guarantee this, so each call first locks a node.
    await change(`CREATE (:Gate {name: 'gate'})`);
    await Promise.all(
      Array.from({ length: 6 }, () => change(`MATCH (g:Gate) SET g.locked = true WITH g ${merge}`, { key: 'k' })),
    );
    expect(await rows(`MATCH (m:Merged) RETURN m.key, m.n`)).toEqual([['k', 6]]);
    await change(`MATCH (a:Merged) MATCH (g:Gate) MERGE (a)-[r:IN]->(g) MERGE (a)-[s:IN]->(g) SET r.x = 1, s.y = 2`);
    expect(await rows(`MATCH (:Merged)-[r:IN]->(:Gate) RETURN r.x, r.y`)).toEqual([[1, 2]]);
  });

  it('sets, adds, removes and deletes', async () => {
    await change(`CREATE (t:Thing {a: 1, b: 2})-[:OF]->(:Whole {name: 'w'})`);
    await change(`MATCH (t:Thing) SET t += {b: null, c: [1, 2]}, t:Extra REMOVE t.a`);
    expect(await one(`MATCH (t:Extra) RETURN properties(t), labels(t)`)).toEqual([{ c: [1, 2] }, ['Thing', 'Extra']]);
    await change(`MATCH (t:Thing) SET t = {z: 1} REMOVE t:Extra`);
    expect(await one(`MATCH (t:Thing) RETURN properties(t), labels(t)`)).toEqual([{ z: 1 }, ['Thing']]);
    await expect(change(`MATCH (t:Thing) DELETE t`)).rejects.toThrow();
    await change(`MATCH (t:Thing)-[o:OF]->(w) DELETE o, t, w`);
    expect(await rows(`MATCH (t) WHERE t:Thing OR t:Whole RETURN t`)).toEqual([]);
  });

  it('truncates a long result and reports it', async () => {
    const answer = await graph.read(`UNWIND range(1, 500) AS x RETURN x`, {}, { ...limits, maxRows: 10 });
    expect(answer.rows).toHaveLength(10);
    expect(answer.omittedRows).not.toBe(0);
  });

  it('reports the whole schema of the graph, whatever the limit of rows', async () => {
    const { labels, relationships } = await graph.schema({ ...limits, maxRows: 1 });
    expect(labels).toContainEqual({ label: 'Person', count: 3, properties: ['age', 'name', 'tags'] });
    expect(relationships).toContainEqual({ from: ['Person'], type: 'KNOWS', to: ['Person'], count: 1 });
  });
}
