import type { VerifierRequest } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { VerifierBench, type Files } from '../run/verifier-bench.fixture.js';

const unit = {
  ...{ name: 'unit', kind: 'unit' as const, argv: ['node', '--test', '--test-reporter=tap', '{src,test}/*.test.js'] },
  ...{ inputs: ['test/**', 'package.json'], reads: { tap: 'stdout' } },
};
const imports = "import { test } from 'node:test';\nimport assert from 'node:assert';\n";
const base: Files = {
  'package.json': '{ "type": "module" }',
  'src/add.js': 'export const add = (a, b) => a + b;\n',
  'test/add.test.js': `${imports}import { add } from '../src/add.js';\ntest('adds', () => assert.equal(add(1, 2), 3));\n`,
};
const multiply = 'export const multiply = (a, b) => a * b;\n';
const testMultiply = `${imports}import { multiply } from '../src/multiply.js';\ntest('multiplies', () => assert.equal(multiply(2, 3), 6));\n`;
const done: Files = { ...base, 'src/multiply.js': multiply, 'test/multiply.test.js': testMultiply };

describe('tests of a feature', () => {
  it('prove it if they are new and fail on the files of the beginning, even if they cannot be loaded there', async () => {
    const { proof } = await new VerifierBench().prove(unit, { tests: ['multiplies'] }, base, done);
    expect(proof).toMatchObject({ proved: true, reason: '' });
    expect(proof.cases).toEqual([{ name: 'multiplies', now: 'passed', before: 'absent', mixed: 'absent' }]);
  });

  it('prove it if they failed before', async () => {
    const begin = {
      ...base,
      'test/multiply.test.js': testMultiply,
      'src/multiply.js': 'export const multiply = () => 0;\n',
    };
    const { proof } = await new VerifierBench().prove(unit, { tests: ['multiplies', 'adds'] }, begin, done);
    expect(proof).toMatchObject({ proved: true });
    expect(proof.cases).toEqual([
      { name: 'multiplies', now: 'passed', before: 'failed' },
      { name: 'adds', now: 'passed', before: 'passed' },
    ]);
  });

  it.each<[string, readonly string[], Files, Files, RegExp]>([
    ['passed before the work began', ['adds'], base, done, /passed before the work began.*adds/],
    ['do not exist', ['divides'], base, done, /no such case: divides/],
    [
      'are of a mock, which passes without the work',
      ['multiplies'],
      base,
      { ...base, 'test/mock.test.js': `${imports}test('multiplies', () => assert.ok(true));\n` },
      /also pass on the files with which the work began/,
    ],
    [
      'are in no file that the inputs name, so that they are not compared, while a test failed before',
      ['multiplies'],
      { ...base, 'src/add.js': 'export const add = () => 0;\n' },
      {
        ...base,
        'src/multiply.test.js': `${imports}test('multiplies', () => {});\n`,
        'test/other.test.js': `${imports}test('is', () => {});\n`,
      },
      /nothing shows that these tests fail.*: multiplies/,
    ],
    [
      'come with no added input',
      ['multiplies'],
      base,
      { ...base, 'src/multiply.test.js': `${imports}test('multiplies', () => {});\n` },
      /in no file that was added as an input of the verifier: multiplies/,
    ],
    [
      'fail',
      ['multiplies'],
      base,
      { ...done, 'src/multiply.js': 'export const multiply = () => 0;\n' },
      /did not pass: multiplies/,
    ],
    [
      'are skipped',
      ['multiplies'],
      base,
      { ...done, 'test/multiply.test.js': testMultiply.replace("test('", "test.skip('") },
      /did not pass: multiplies/,
    ],
    [
      'pass while a test fails that passed before',
      ['multiplies'],
      base,
      { ...done, 'src/add.js': 'export const add = () => 0;\n' },
      /these tests passed before the work began, and do not now: adds/,
    ],
  ])('prove nothing if they %s', async (_why, tests, begin, claimed, expected) => {
    const { proof } = await new VerifierBench().prove(unit, { tests }, begin, claimed);
    expect(proof.proved).toBe(false);
    expect(proof.reason).toMatch(expected);
  });

  const later = `${imports}import { divide } from '../src/divide.js';\ntest('divides', () => assert.equal(divide(6, 3), 2));\n`;
  const acceptance: Files = {
    ...base,
    'src/multiply.js': 'export const multiply = () => 0;\n',
    'test/multiply.test.js': testMultiply,
    'test/divide.test.js': later,
  };

  it('prove it while tests of later features fail as before', async () => {
    const { outcome, proof } = await new VerifierBench().prove(unit, { tests: ['multiplies'] }, acceptance, {
      ...acceptance,
      'src/multiply.js': multiply,
    });
    expect([outcome, proof.reason]).toEqual(['passed', '']);
    expect(proof).toMatchObject({ proved: true, others: { passedBefore: 1, failed: 1, worse: [] } });
  });

  it('prove nothing if the run dies after them', async () => {
    const claimed = {
      ...acceptance,
      'src/multiply.js': `${multiply}setTimeout(() => process.kill(process.ppid, 9), 50);\n`,
    };
    const { outcome, proof } = await new VerifierBench().prove(unit, { tests: ['multiplies'] }, acceptance, claimed);
    expect([outcome, proof.proved]).toEqual(['failed', false]);
  });

  it('prove nothing through an exit code alone', async () => {
    const { outcome, proof } = await new VerifierBench().prove(
      { name: 'exit', argv: ['node', '--test'], inputs: ['test/**'] },
      { tests: ['multiplies'] },
      base,
      done,
    );
    expect(outcome).toBe('passed');
    expect(proof).toMatchObject({
      proved: false,
      reason: expect.stringMatching(/not read from a report that names cases/),
    });
  });
});

describe('requests and queries of a feature', () => {
  const server = (body: string): string =>
    `import { createServer } from 'node:http';\ncreateServer((request, response) => response.end(request.url === '/items' ? ${JSON.stringify(body)} : 'up')).listen(8080, '127.0.0.1');\n`;
  const api = {
    ...{ name: 'api', kind: 'api' as const, requests: [{ url: 'http://127.0.0.1:8080/' }] },
    services: [{ argv: ['node', 'server.js'], ready: { port: 8080 }, timeoutMs: 3_000 }],
  };
  const request: VerifierRequest = {
    method: 'GET',
    url: 'http://127.0.0.1:8080/items',
    headers: {},
    status: 200,
    contains: 'tea',
  };

  it('prove it if the service answered nothing before, or did not exist', async () => {
    const claimed = { 'package.json': '{ "type": "module" }', 'server.js': server('["tea"]') };
    const bench = new VerifierBench();
    const answered = await bench.prove(
      api,
      { requests: [request] },
      { ...claimed, 'server.js': server('[]') },
      claimed,
    );
    expect(answered.proof).toMatchObject({
      proved: true,
      cases: [{ name: 'GET /items', now: 'passed', before: 'failed' }],
    });
    const started = await bench.prove(
      api,
      { requests: [request] },
      { 'package.json': '{ "type": "module" }' },
      claimed,
    );
    expect(started.proof).toMatchObject({ proved: true });
  });

  it('prove nothing if they were answered before', async () => {
    const claimed = { 'package.json': '{ "type": "module" }', 'server.js': server('["tea"]') };
    const { proof } = await new VerifierBench().prove(api, { requests: [request] }, claimed, {
      ...claimed,
      'a.txt': 'x',
    });
    expect(proof).toMatchObject({ proved: false });
    expect(proof.reason).toContain('passed before the work began');
  });

  const create = `INSERT INTO item VALUES ('tea')`;
  const store = (rows: string): string =>
    `const { DatabaseSync } = require('node:sqlite');\nconst database = new DatabaseSync('shop.db');\ndatabase.exec("CREATE TABLE item (name TEXT); ${rows}");\nconsole.log('stored'); setInterval(() => {}, 1e6);\n`;
  const database = {
    ...{ name: 'database', kind: 'database' as const, queries: [{ sqlite: 'shop.db', sql: 'SELECT 1' }] },
    services: [{ argv: ['node', 'store.cjs'], ready: { log: 'stored' }, timeoutMs: 3_000 }],
  };
  const query = (sql: string) => ({ sqlite: 'shop.db', sql, minRows: 1 });

  it('prove it if a query found no row before, and are named by their position', async () => {
    const queries = [query('SELECT name FROM sqlite_master'), query('SELECT * FROM item')];
    const { proof } = await new VerifierBench().prove(
      database,
      { queries },
      { 'store.cjs': store('') },
      { 'store.cjs': store(create) },
    );
    expect(proof).toEqual({
      proved: true,
      reason: '',
      cases: [
        { name: 'query 1', now: 'passed', before: 'passed' },
        { name: 'query 2', now: 'passed', before: 'failed' },
      ],
      baseline: { outcome: 'failed', reason: expect.stringMatching(/^1 of 2 tests failed: query 2/) },
    });
  });

  it('prove nothing through files of the beginning that have the names of the queries', async () => {
    const queries = [query('SELECT * FROM item')];
    const claimed = { 'store.cjs': store(create) };
    const { proof } = await new VerifierBench().prove(database, { queries }, { ...claimed, 'query 1': '' }, claimed);
    expect(proof).toMatchObject({ proved: false, cases: [{ now: 'passed', before: 'passed' }] });
  });
});
