import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { sendToJobs } from '../testing/send-to-jobs.js';

const keys = {
  alice: 'alices-key-0123456789',
  bob: 'bobs-key-0123456789',
  carol: 'carols-key-0123456789',
  aliceNew: 'alices-next-key-0123456789',
};
let orchestrator: OrchestratorForSpecs;

beforeAll(async () => {
  orchestrator = await startOrchestrator({
    PHASELINE_API_KEYS: `alice=${keys.alice},bob=${keys.bob},carol=${keys.carol},alice=${keys.aliceNew}`,
    PHASELINE_QUEUE_PRINCIPAL: 'carol',
  });
});
afterAll(() => orchestrator.stop());

type Answer = Awaited<ReturnType<OrchestratorForSpecs['json']>>;

const send = (who: keyof typeof keys, path: string, body: unknown, idempotencyKey: string): Promise<Answer> =>
  orchestrator.json(path, post(body, { authorization: `Bearer ${keys[who]}`, 'idempotency-key': idempotencyKey }));

describe('an idempotency key', () => {
  it('of one tenant can be used by every other tenant, for any request', async () => {
    const key = `order-${randomUUID()}`;
    const acme = await send('alice', '/v1/jobs', { agent: 'writer', tenant: 'acme' }, key);
    const beta = await send('alice', '/v1/jobs', { agent: 'writer', tenant: 'beta', instructions: 'other' }, key);
    expect([acme.status, beta.status]).toEqual([201, 201]);
    expect(beta.body['jobId']).not.toBe(acme.body['jobId']);
  });

  it('of one actor can be used by every other actor, and no response names a job of another', async () => {
    const key = `order-${randomUUID()}`;
    const alice = await send('alice', '/v1/jobs', { agent: 'writer' }, key);
    const bob = await send('bob', '/v1/jobs', { agent: 'writer', instructions: 'other' }, key);
    expect([alice.status, bob.status]).toEqual([201, 201]);
    const refused = await send('bob', '/v1/jobs', { agent: 'writer', instructions: 'a third' }, key);
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).not.toContain(String(alice.body['jobId']));
  });

  it('finds its job again after the API key of its actor was replaced', async () => {
    const key = `order-${randomUUID()}`;
    const first = await send('alice', '/v1/jobs', { agent: 'writer' }, key);
    const again = await send('aliceNew', '/v1/jobs', { agent: 'writer' }, key);
    expect(again).toMatchObject({ status: 200, body: { jobId: first.body['jobId'], created: false } });
  });

  it('cannot be chosen so that it collides with the key of another owner', async () => {
    const [tenant, inner] = ['acme', randomUUID()];
    const attempts = [`alice","${inner}`, `["acme","alice","${inner}"]`, `alice/${inner}`, `acme/alice/${inner}`];
    const victim = await send('alice', '/v1/jobs', { agent: 'writer', tenant }, inner);
    for (const key of attempts) {
      const answer = await send('bob', '/v1/jobs', { agent: 'writer', tenant, instructions: 'other' }, key);
      expect([key, answer.status]).toEqual([key, 201]);
      expect(answer.body['jobId']).not.toBe(victim.body['jobId']);
    }
  });

  it('of a control request or a fork belongs to its actor too', async () => {
    const { body } = await send('alice', '/v1/jobs', { agent: 'writer' }, randomUUID());
    const path = `/v1/jobs/${String(body['jobId'])}`;
    const key = randomUUID();
    expect(await send('alice', `${path}/steer`, { message: 'be quick' }, key)).toMatchObject({ status: 200 });
    expect(await send('bob', `${path}/steer`, { message: 'be careful' }, key)).toMatchObject({
      status: 200,
      body: { changed: true },
    });
    const [submitted] = await orchestrator.store.read(`job-${String(body['jobId'])}`);
    const fork = { position: submitted!.position, idempotencyKey: key };
    const ofAlice = await orchestrator.json(`${path}/fork`, post(fork, { authorization: `Bearer ${keys.alice}` }));
    const ofBob = await orchestrator.json(
      `${path}/fork`,
      post({ ...fork, labels: { by: 'bob' } }, { authorization: `Bearer ${keys.bob}` }),
    );
    expect([ofAlice.status, ofBob.status]).toEqual([201, 201]);
    expect(ofBob.body['jobId']).not.toBe(ofAlice.body['jobId']);
  });

  it('of a queue producer is separate from that of an API caller', async () => {
    const run = randomUUID();
    const key = `order-${run}`;
    const { body } = await send('alice', '/v1/jobs', { agent: 'writer', labels: { run } }, key);
    const jobs = async (): Promise<unknown[]> => {
      const page = await orchestrator.json(`/v1/jobs?label=run%3D${run}`, {
        headers: { authorization: `Bearer ${keys.bob}` },
      });
      return (page.body['items'] as { jobId: string }[]).map(({ jobId }) => jobId);
    };
    const request = { agent: 'writer', labels: { run }, instructions: 'other', idempotencyKey: key };
    await sendToJobs(orchestrator, request);
    await sendToJobs(orchestrator, request);
    await expect.poll(jobs, { timeout: 10_000 }).toHaveLength(2);
    expect(await jobs()).toContain(body['jobId']);
    const [added] = (await jobs()).filter((jobId) => jobId !== body['jobId']);
    const [submitted] = await orchestrator.store.read(`job-${String(added)}`);
    expect(submitted?.metadata).toEqual({ actor: { id: 'carol', kind: 'service' } });
  });
});

describe('the names of API keys', () => {
  it.each(['local', 'queue'])('cannot be "%s", which identifies other actors', async (name) => {
    await expect(startOrchestrator({ PHASELINE_API_KEYS: `${name}=0123456789abcdef` })).rejects.toThrow(
      /PHASELINE_API_KEYS/,
    );
  });
});
