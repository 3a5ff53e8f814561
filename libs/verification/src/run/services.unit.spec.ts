import { describe, expect, it } from 'vitest';
import { VerifierBench } from './verifier-bench.fixture.js';

/** A server of things on a port, with a database of SQLite. */
const server = `
const { createServer } = require('node:http');
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync('things.db');
database.exec('CREATE TABLE thing (name TEXT)');
createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x');
  if (pathname === '/empty') return response.end('[]');
  if (pathname === '/none') return response.end();
  if (pathname !== '/things') return response.writeHead(404).end('missing');
  if (request.method === 'POST') database.prepare('INSERT INTO thing VALUES (?)').run('one');
  response.writeHead(request.method === 'POST' ? 201 : 200).end(JSON.stringify([{ name: 'one' }]));
}).listen(8080, '127.0.0.1', () => console.log('listening'));
`;
const files = { 'server.js': server };
const service = { argv: ['node', 'server.js'], ready: { port: 8080 } };
const url = (path: string): string => `http://127.0.0.1:8080${path}`;
const api = { name: 'api', kind: 'api' as const, services: [service] };

describe('services', () => {
  it.each([{ port: 8080 }, { http: url('/things') }, { log: 'listening' }])(
    'are ready by %j before the command starts, and end with it',
    async (ready) => {
      const bench = new VerifierBench();
      const script = `fetch('${url('/things')}').then(async (r) => console.log(await r.text()))`;
      const result = await bench.run(
        { name: 'health', argv: ['node', '-e', script], services: [{ ...service, ready }] },
        files,
      );
      expect(result).toMatchObject({ outcome: 'passed', outputText: expect.stringContaining('[{"name":"one"}]') });
      expect((await bench.list()).runs).toEqual([]);
    },
  );

  it('never lend their output to the command', async () => {
    const noisy = {
      argv: ['node', '-e', `console.log('1..1\\nok 1 - fine'); setInterval(() => {}, 1e6)`],
      ready: { log: 'fine' },
    };
    const definition = { name: 'unit', argv: ['true'], reads: { tap: 'stdout' }, services: [noisy] };
    expect(await new VerifierBench().run(definition, files)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('it has no plan'),
      outputText: expect.stringContaining('ok 1 - fine'),
    });
  });

  it.each([
    [
      'one that ends',
      { argv: ['node', '-e', 'process.exit(4)'], ready: { port: 8081 } },
      'ended before it was ready (exit code 4)',
    ],
    [
      'one that is not ready in time',
      { argv: ['sleep', '1000'], ready: { port: 8081 }, timeoutMs: 300 },
      'was not ready in time',
    ],
    [
      'one that does not exist',
      { argv: ['no-such-program'], ready: { port: 8081 } },
      'ended before it was ready (ENOENT)',
    ],
    ['one in whose place another answers', service, 'could not start, because another program answers in its place'],
  ])('%s fails the run, which does not start', async (_what, broken, how) => {
    const definition = { name: 'health', argv: ['sh', '-c', 'echo started'], services: [service, broken] };
    const result = await new VerifierBench().run(definition, files);
    expect(result).toMatchObject({ outcome: 'failed', reason: `Service 2 of the verifier ${how}.` });
    expect(result.outputText).not.toContain('\nstarted\n');
  });
});

describe('requests', () => {
  it('pass with the expected status and a body with data', async () => {
    const requests = [
      { url: url('/things'), contains: 'one' },
      { method: 'POST' as const, url: url('/things'), body: { name: 'one' }, status: 201 },
      { url: url('/missing'), status: 404 },
      { url: url('/none'), empty: true as const },
    ];
    expect(await new VerifierBench().run({ ...api, requests }, files)).toMatchObject({
      outcome: 'passed',
      reason: '4 tests passed.',
      cases: expect.arrayContaining([{ name: 'POST /things', outcome: 'passed' }]),
    });
  });

  it.each([
    [{ url: url('/things'), status: 201 }, 'GET /things: status 200, expected 201'],
    [{ url: url('/empty') }, 'GET /empty: empty body'],
    [{ url: url('/none') }, 'GET /none: empty body'],
    [{ url: url('/things'), contains: 'two' }, 'GET /things: the body does not contain the expected text'],
    [{ url: 'http://127.0.0.1:9/' }, 'GET /: no connection'],
  ])('%j fails', async (request, problem) => {
    expect(await new VerifierBench().run({ ...api, requests: [request] }, files)).toMatchObject({
      outcome: 'failed',
      reason: `1 of 1 tests failed: ${problem}.`,
    });
  });
});

describe('queries', () => {
  it('pass with rows, and fail without', async () => {
    const argv = [
      'node',
      '-e',
      `const d = new (require('node:sqlite').DatabaseSync)('a.db'); d.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)"); console.log('filled'); setInterval(() => {}, 1e6)`,
    ];
    const database = {
      name: 'rows',
      kind: 'database' as const,
      services: [{ argv, ready: { log: 'filled' } }],
    };
    const run = (sql: string, more = {}) =>
      new VerifierBench().run({ ...database, queries: [{ sqlite: 'a.db', sql, ...more }] }, {});
    expect(await run('SELECT a FROM t')).toMatchObject({ outcome: 'passed', tests: { passed: 1 } });
    const problemOf = async (sql: string, more = {}) => (await run(sql, more)).reason;
    expect(await problemOf('SELECT a FROM t WHERE a = 2')).toMatch(/query 1: 0 rows, expected at least 1\.$/);
    expect(await problemOf('SELECT a FROM t', { minRows: 2 })).toMatch(/query 1: 1 rows, expected at least 2\.$/);
    expect(await problemOf('SELECT b FROM t')).toMatch(/query 1: the query fails\.$/);
    expect(await problemOf('INSERT INTO t VALUES (2) RETURNING a')).toMatch(/query 1: the query fails\.$/);
    expect(await problemOf('SELECT 1', { sqlite: 'none.db' })).toMatch(/query 1: /);
  });
});
