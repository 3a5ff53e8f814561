import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../testing/orchestrator-for-specs.js';
import { startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';

let subject: TwoTenants;
let key: string;
beforeAll(async () => {
  subject = await startTwoTenants();
  ({ key } = await subject.createCaller([{ role: 'operator', tenant: subject.own.tenant }]));
});
afterAll(() => subject?.stop());

const countBlobs = async (): Promise<number> =>
  Number((await subject.pool.query<{ count: string }>('SELECT count(*) FROM phaseline.blobs')).rows[0]!.count);

const submitForm = (...fields: readonly (readonly [string, string | Blob])[]) => {
  const body = new FormData();
  for (const [name, value] of fields)
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value, 'a.md');
  return subject.orchestrator.json('/v1/jobs', { method: 'POST', body, headers: { authorization: `Bearer ${key}` } });
};

const tenantOf = async (jobId: unknown): Promise<unknown> =>
  (await subject.orchestrator.repository.loadJob(String(jobId)))?.submitted.tenant;

describe('a submission', () => {
  it('as a form for a tenant in which the caller may not submit is refused before its documents are stored', async () => {
    const before = await countBlobs();
    const answer = await submitForm(
      ['agent', 'writer'],
      ['tenant', subject.other.tenant],
      ['files', new Blob(['a document that nothing else contains'])],
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await countBlobs()).toBe(before);
  });

  it('as a form that names such a tenant after its documents creates no job', async () => {
    const before = await subject.orchestrator.repository.loadJob(subject.other.jobId);
    const answer = await submitForm(
      ['agent', 'writer'],
      ['files', new Blob(['another document'])],
      ['tenant', subject.other.tenant],
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await subject.orchestrator.repository.loadJob(subject.other.jobId)).toEqual(before);
  });

  it('without a tenant goes to the only tenant in which the caller may submit', async () => {
    const form = await submitForm(['agent', 'writer'], ['files', new Blob(['text'])]);
    expect(form.status).toBe(201);
    expect(await tenantOf(form.body['jobId'])).toBe(subject.own.tenant);
    const authorization = `Bearer ${key}`;
    const json = await subject.orchestrator.json('/v1/jobs', post({ agent: 'writer' }, { authorization }));
    expect(await tenantOf(json.body['jobId'])).toBe(subject.own.tenant);
  });

  it('without a tenant, of a caller with several tenants, must name one', async () => {
    const several = await subject.createCaller([
      { role: 'operator', tenant: subject.own.tenant },
      { role: 'operator', tenant: subject.other.tenant },
    ]);
    const authorization = `Bearer ${several.key}`;
    const refused = await subject.orchestrator.json('/v1/jobs', post({ agent: 'writer' }, { authorization }));
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringContaining('acme') },
    });
  });

  it('with the idempotency key of a job of another tenant creates a job of its own, with different content or the same', async () => {
    const { own, other, orchestrator } = subject;
    // The same principal, with a role in both tenants, would share its keys between them otherwise.
    const both = await subject.createCaller([
      { role: 'operator', tenant: own.tenant },
      { role: 'operator', tenant: other.tenant },
    ]);
    const submit = (tenant: string) =>
      orchestrator.json(
        '/v1/jobs',
        post({ agent: 'writer', tenant, idempotencyKey: 'order-1' }, { authorization: `Bearer ${both.key}` }),
      );
    const answers = [await submit(own.tenant), await submit(other.tenant)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const ids = answers.map(({ body }) => body['jobId']);
    expect(new Set([...ids, own.jobId, other.jobId]).size).toBe(4);
  });
});
