import type { VerifierQuery, VerifierRequest } from '@phaseline/contracts';

/**
 * Program that sends requests and writes a TAP report with one test per request. An empty body fails, and so does a body that is an empty
 * list or object: an answer without data proves nothing.
 */
const SEND_REQUESTS = `
const requests = JSON.parse(process.argv[1]);
const isEmpty = (text) => {
  if (text.trim() === '') return true;
  try {
    const value = JSON.parse(text);
    return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
  } catch { return false; }
};
async function send({ method, url, headers, body, status, contains, empty }) {
  const options = { method, headers: { ...headers }, redirect: 'manual', signal: AbortSignal.timeout(30_000) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['content-type'] ??= 'application/json';
  }
  const response = await fetch(url, options);
  const text = await response.text();
  if (response.status !== status) return 'status ' + response.status + ', expected ' + status;
  if (!empty && method !== 'HEAD' && isEmpty(text)) return 'empty body';
  if (contains !== undefined && !text.includes(contains)) return 'the body does not contain the expected text';
}
(async () => {
  console.log('TAP version 13\\n1..' + requests.length);
  for (const [index, request] of requests.entries()) {
    const problem = await send(request).catch((error) => error.name === 'TimeoutError' ? 'no answer' : 'no connection');
    const name = request.method + ' ' + new URL(request.url).pathname.replaceAll('#', '');
    console.log((problem ? 'not ok ' : 'ok ') + (index + 1) + ' - ' + name + (problem ? ': ' + problem : ''));
  }
})();
`;

/** Program that runs queries on databases of SQLite and writes a TAP report with one test per query. */
const RUN_QUERIES = `
const { DatabaseSync } = require('node:sqlite');
const queries = JSON.parse(process.argv[1]);
console.log('TAP version 13\\n1..' + queries.length);
for (const [index, { sqlite, sql, minRows }] of queries.entries()) {
  let problem;
  try {
    const database = new DatabaseSync(sqlite, { readOnly: true });
    const rows = database.prepare(sql).all().length;
    if (rows < minRows) problem = rows + ' rows, expected at least ' + minRows;
  } catch (error) {
    problem = error.code === 'ERR_SQLITE_ERROR' ? 'the query fails' : 'the database cannot be opened';
  }
  console.log((problem ? 'not ok ' : 'ok ') + (index + 1) + ' - query ' + (index + 1) + (problem ? ': ' + problem : ''));
}
`;

/** Returns the arguments of Node.js that send requests and report their answers as TAP. */
export function buildRequestArguments(requests: readonly VerifierRequest[]): readonly string[] {
  return ['-e', SEND_REQUESTS, JSON.stringify(requests)];
}

/** Returns the arguments of Node.js that run queries and report their rows as TAP. */
export function buildQueryArguments(queries: readonly VerifierQuery[]): readonly string[] {
  return ['--no-warnings', '-e', RUN_QUERIES, JSON.stringify(queries)];
}
