import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { createFakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import { phaseEvents, post } from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';
import { buildRequest, sendRequest, type RouteRequest } from '../../apps/orchestrator/src/testing/route-requests.js';
import {
  startTwoTenants,
  type TenantThings,
  type TwoTenants,
} from '../../apps/orchestrator/src/testing/two-tenants.js';
import { roles } from '../../libs/identity/src/rights/roles.js';

let subject: TwoTenants;
/** Keys of principals of the first tenant: an operator, and one with all roles. */
let keys: readonly string[];
let operator: string;

beforeAll(async () => {
  subject = await startTwoTenants();
  const { own } = subject;
  const create = async (...held: (typeof roles)[number][]): Promise<string> =>
    (await subject.createCaller(held.map((role) => ({ role, tenant: own.tenant })))).key;
  operator = await create('operator');
  keys = [operator, await create(...roles)];
});
afterAll(() => subject?.stop());

/** Everything by which the second tenant can be recognised. Its names and texts contain its word. */
function listTraces({ word, jobId, repositoryJobId, keyPrefix, retentionRunId }: TenantThings): readonly string[] {
  return [word, jobId, repositoryJobId, keyPrefix, retentionRunId];
}

/** Returns the traces of the second tenant in a text, apart from those that the request contained itself. */
function findTraces(text: string, request = ''): readonly string[] {
  const asked = decodeURIComponent(request).toLowerCase();
  return listTraces(subject.other).filter(
    (trace) => text.toLowerCase().includes(trace) && !asked.includes(trace.toLowerCase()),
  );
}

const get = (path: string): RouteRequest => ({ method: 'GET', path, headers: {}, body: undefined });

/** Requests that no route expects, and filters that would match things of the second tenant. */
function listProbes({ own, other }: TwoTenants): readonly RouteRequest[] {
  const paths = [
    ...['/v1/jobs?limit=1', '/v1/jobs?limit=500', '/v1/jobs?agent=writer', '/v1/jobs?status=running'],
    ...[`/v1/jobs?label=${other.word}`, `/v1/jobs?label=${other.word}%3D${other.word}`, '/v1/jobs?cursor=am9iczoxMDAw'],
    ...[`/v1/jobs/${other.jobId.slice(0, 8)}`, '/v1/jobs/%00', `/v1/jobs/${'x'.repeat(5_000)}`, '/v1/jobs/..%2f'],
    ...['/v1/inbox?limit=100', '/v1/inbox?kind=question', `/v1/inbox?jobId=${other.jobId}`],
    ...['agent', 'model', 'day', 'tenant', 'job'].map((by) => `/v1/costs?by=${by}`),
    ...[`/v1/phases?jobId=${other.jobId}`, `/v1/tool-calls?jobId=${other.jobId}`],
    ...[`/v1/jobs/${own.jobId}/compare/${other.jobId}`, `/v1/jobs/${own.jobId}/files/documents/${other.word}.md`],
    ...[`/v1/jobs/${own.jobId}/events?after=0&limit=500`, `/v1/secrets?tenant=${other.tenant}`, '/v1/tenants'],
    ...['/v1/holds', `/v1/holds?tenant=${other.tenant}`, `/v1/holds?jobId=${other.jobId}`],
    ...[
      '/v1/retention',
      `/v1/retention/runs/${other.retentionRunId}`,
      `/v1/retention/runs/${other.retentionRunId}/jobs`,
    ],
    ...['/metrics', '/ready', '/health', '/v1/unknown', '/v1/processes', '/v1/queue-history?minutes=60'],
  ];
  const submit = (body: object): RouteRequest => ({
    ...{ method: 'POST', path: '/v1/jobs', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  return [
    ...paths.map(get),
    submit({ agent: 'writer', idempotencyKey: 'order-1' }),
    submit({ agent: 'writer', tenant: other.tenant, idempotencyKey: 'order-1' }),
    submit({ agent: 'wirter' }),
    submit([]),
  ];
}

describe('a key of one tenant', () => {
  it('gets nothing of another tenant from any route, for its own things, those of the other, and missing ones', async () => {
    const { orchestrator, own, other, missing } = subject;
    const requests = orchestrator.routes
      .filter((route) => !/^(?:OPTIONS|HEAD) /.test(route))
      // What changes a job comes last, so that the questions and approvals exist as long as possible.
      .toSorted((a, b) => Number(!a.startsWith('GET')) - Number(!b.startsWith('GET')))
      .flatMap((route) => [own, other, missing].map((things) => buildRequest(route, things)));
    const leaks: unknown[] = [];
    let served = 0;
    for (const key of keys)
      for (const request of [...listProbes(subject), ...requests]) {
        const { status, text } = await sendRequest(orchestrator, request, key);
        if (status < 300) served += 1;
        const traces = findTraces(text, `${request.path} ${request.body ?? ''}`);
        if (traces.length > 0) leaks.push([request.method, request.path, status, traces]);
      }
    expect(leaks).toEqual([]);
    expect(served).toBeGreaterThan(keys.length * 20);
  }, 300_000);

  it('gets no series of another tenant from the metrics, and sees its own', async () => {
    const { orchestrator, own } = subject;
    const { text } = await sendRequest(orchestrator, get('/metrics'), operator);
    expect(text).toContain(`tenant="${own.tenant}"`);
    expect(findTraces(text)).toEqual([]);
    expect((await sendRequest(orchestrator, get('/metrics'), undefined)).text).not.toContain('tenant="');
  });

  it('gets no event of another tenant from a stream while both are active', async () => {
    const { orchestrator, own, other } = subject;
    const { body } = await orchestrator.json(
      '/v1/jobs',
      post({ agent: 'writer', tenant: own.tenant, labels: { stream: 'yes' } }, { authorization: `Bearer ${operator}` }),
    );
    const jobId = String(body['jobId']);
    const response = await orchestrator.fetch(`/v1/jobs/${jobId}/events`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${operator}` },
    });
    for (let turn = 0; turn < 20; turn += 1)
      await orchestrator.inPhase(other.jobId, 1, [phaseEvents.wrote(`${other.word}-${turn}.md`, 'b'.repeat(64), 1)]);
    await orchestrator.json(`/v1/jobs/${jobId}/cancel`, post({}, { authorization: `Bearer ${operator}` }));
    const text = await response.text();
    expect(text).toContain('JobCancelled');
    expect(findTraces(text)).toEqual([]);
  });

  it.each([
    ['list'],
    ['list', '--label', 'zwynquox'],
    ['inbox'],
    ['ps'],
    ['tenants'],
    ['queues'],
    ['dead-letters'],
    ['costs', '--by', 'tenant'],
    ['secrets', 'list', '--tenant', 'acme'],
    ['secrets', 'list', '--tenant', 'zwynquox'],
    ['whoami'],
    ['status', 'OTHER'],
    ['events', 'OTHER'],
    ['files', 'list', 'OTHER'],
    ['status', 'PREFIX'],
    ['retention', 'status'],
    ['retention', 'run', '--dry-run'],
    ['retention', 'run', '--dry-run', '--tenant', 'zwynquox'],
    ['retention', 'set', 'zwynquox', '--files-days', '1'],
    ['holds', 'list'],
    ['holds', 'list', '--tenant', 'zwynquox'],
    ['holds', 'place', 'OTHER', '--reason', 'case'],
    ['holds', 'release', 'OTHER', '--reason', 'case'],
    ['principals', 'list'],
    ['principals', 'show', 'PERSON'],
    ['keys', 'list'],
  ])('gets nothing of another tenant from phaseline %s %s', async (...args) => {
    const { other, orchestrator } = subject;
    const names: Readonly<Record<string, string>> = {
      OTHER: other.jobId,
      PREFIX: other.jobId.slice(0, 8),
      PERSON: other.principalId,
    };
    const argv = args.filter((arg) => typeof arg === 'string').map((arg) => names[arg] ?? arg);
    // An operator may not see principals, holds and retention, so they are asked for with a key of all roles.
    const key = ['principals', 'keys', 'holds', 'retention'].includes(String(args[0])) ? keys[1]! : operator;
    for (const format of [[], ['--json']]) {
      const host = createFakeHost();
      const code = await runCli(['--url', orchestrator.url, '--api-key', key, ...format, ...argv], host);
      const text = `${host.stdout.text}\n${host.stderr.text}`;
      expect([findTraces(text, argv.join(' ')), text.length > 1, code < 70], text).toEqual([[], true, true]);
    }
  });
});
