import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRequest, sendRequest } from '../testing/route-requests.js';
import { startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';

let subject: TwoTenants;
let document: OpenAPIObject;
let key: string;
let routes: readonly string[];

beforeAll(async () => {
  subject = await startTwoTenants();
  ({ key } = await subject.createCaller([{ role: 'admin', tenant: '*' }]));
  document = (await subject.orchestrator.json('/openapi.json', { headers: { authorization: `Bearer ${key}` } }))
    .body as unknown as OpenAPIObject;
  routes = subject.orchestrator.routes.filter((route) => / \/v1\//.test(route) && !/^(?:HEAD|OPTIONS) /.test(route));
});
afterAll(() => subject?.stop());

/** What is read of an operation in the description of the API. */
interface Operation {
  readonly requestBody?: unknown;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** A route, such as `GET /v1/jobs/:jobId/files/*`, as the API describes it. */
function findOperation(route: string): Operation | undefined {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace('*', '{path}').replaceAll(/:(\w+)/g, '{$1}');
  return (document.paths[path] as Readonly<Record<string, Operation>> | undefined)?.[method.toLowerCase()];
}

function listQueryParameters(route: string): readonly string[] {
  return (findOperation(route)?.parameters ?? []).flatMap((parameter) =>
    parameter.in === 'query' ? [parameter.name] : [],
  );
}

describe('a request with a member that no schema has', () => {
  it('is refused by every route that takes a JSON body, with the name of the member', async () => {
    // A file is written as it is, whatever its bytes are.
    const writes = routes.filter(
      (route) => findOperation(route)?.requestBody !== undefined && !route.endsWith('/files/*'),
    );
    const wrong: unknown[] = [];
    for (const route of writes) {
      const request = buildRequest(route, subject.own);
      const body = JSON.stringify({ ...(JSON.parse(request.body ?? '{}') as object), isAdmin: true });
      const { status, text } = await sendRequest(subject.orchestrator, { ...request, body }, key);
      if (status !== 400 || !text.includes('isAdmin')) wrong.push([route, status, text.slice(-200)]);
    }
    expect(wrong).toEqual([]);
    expect(writes.length).toBeGreaterThan(30);
  });

  it('is refused in the query by every route that has one', async () => {
    const wrong: unknown[] = [];
    const reads = routes.filter((route) => route.startsWith('GET ') && listQueryParameters(route).length > 0);
    for (const route of reads) {
      const request = buildRequest(route, subject.own);
      const path = `${request.path}${request.path.includes('?') ? '&' : '?'}isAdmin=true`;
      const { status, text } = await sendRequest(subject.orchestrator, { ...request, path }, key);
      if (status !== 400 || !text.includes('isAdmin')) wrong.push([route, status, text.slice(-200)]);
    }
    expect(wrong).toEqual([]);
    expect(reads.length).toBeGreaterThan(20);
  });
});

it('a page of every list has a maximum, above which it is refused', async () => {
  const wrong: unknown[] = [];
  const lists = routes.filter((route) => listQueryParameters(route).includes('limit'));
  for (const route of lists) {
    const request = buildRequest(route, subject.own);
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}limit=1001`;
    const { status, text } = await sendRequest(subject.orchestrator, { ...request, path }, key);
    if (status !== 400 || !text.includes('limit')) wrong.push([route, status]);
  }
  expect(wrong).toEqual([]);
  expect(lists.length).toBeGreaterThan(7);
});
