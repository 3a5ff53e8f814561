import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient, type LiveEvent, type LiveOptions } from '@phaseline/client';
import { AnswerPublisher, ControlListener } from '@phaseline/cluster';
import { RELEASE } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';
import { administrator, startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';
import { LiveHub } from './live-hub.js';

let subject: TwoTenants;
beforeAll(async () => {
  subject = await startTwoTenants();
}, 60_000);
afterAll(() => subject?.stop());

const viewer = () => [{ role: 'viewer', tenant: subject.own.tenant }] as const;
const createClient = (apiKey: string) => new PhaselineClient({ baseUrl: subject.orchestrator.url, apiKey, retries: 0 });

/** Follows live events until the spec ends, and keeps them. `ended` resolves with the error that ended them. */
async function follow(client: PhaselineClient, options: LiveOptions = {}) {
  const events: LiveEvent[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const run = async (): Promise<void> => {
    for await (const event of client.live({ backoff: () => 1, ...options, signal: stop.signal })) events.push(event);
  };
  const ended = run().catch((error: unknown) => error);
  await expect.poll(() => events[0]?.type, { timeout: 10_000 }).toBe('hello');
  return { events, ended, stop: () => stop.abort() };
}

const jobsOf = (events: readonly LiveEvent[]) =>
  new Set(events.flatMap((event) => (event.type === 'jobs' ? event.jobIds : [])));
const addTodo = (jobId: string, todoId: number) =>
  subject.orchestrator.inPhase(jobId, 1, [{ type: 'TodoStarted', data: { todoId, callId: 'c' } }]);
const block = (jobId: string) =>
  subject.orchestrator.inPhase(jobId, 1, [{ type: 'TodoBlocked', data: { todoId: 1, callId: 'c', reason: 'why' } }]);

describe('the live connection', () => {
  it('tells of changed jobs of the tenants of the caller, also of changes inside a phase', async () => {
    const { key } = await subject.createCaller(viewer());
    const { events } = await follow(createClient(key));
    expect(events[0]).toEqual({ type: 'hello', release: RELEASE, watching: [] });
    await addTodo(subject.other.jobId, 1);
    await addTodo(subject.own.jobId, 1);
    await expect.poll(() => jobsOf(events), { timeout: 10_000 }).toContain(subject.own.jobId);
    expect(jobsOf(events)).not.toContain(subject.other.jobId);
    expect(events.filter(({ type }) => type === 'inbox')).toEqual([]);
  });

  it('tells when what waits for a person may have changed', async () => {
    const { key } = await subject.createCaller(viewer());
    const { events } = await follow(createClient(key));
    await block(subject.other.jobId);
    await addTodo(subject.own.jobId, 2);
    await expect.poll(() => jobsOf(events), { timeout: 10_000 }).toContain(subject.own.jobId);
    expect(events.filter(({ type }) => type === 'inbox')).toEqual([]);
    await block(subject.own.jobId);
    await expect.poll(() => events.filter(({ type }) => type === 'inbox'), { timeout: 10_000 }).toHaveLength(1);
  });

  it('sends nothing after the key of the caller was revoked', async () => {
    const { key } = await subject.createCaller(viewer());
    const kept = await subject.createCaller(viewer());
    const [revoked, other] = [await follow(createClient(key)), await follow(createClient(kept.key))];
    await subject.principals.revokeKey(administrator, key.slice(4, 12), 'lost');
    // A process remembers a key for two seconds.
    await sleep(2_100);
    // While a transaction is open somewhere, changes of the test before are told again.
    revoked.events.length = 0;
    await addTodo(subject.own.jobId, 1);
    expect(await revoked.ended).toMatchObject({ code: 'unauthorized' });
    expect(jobsOf(revoked.events)).toEqual(new Set());
    await expect.poll(() => jobsOf(other.events), { timeout: 10_000 }).toContain(subject.own.jobId);
  });

  it('is one of at most 20 per caller, and a closed one counts no more', async () => {
    const { key } = await subject.createCaller(viewer());
    const headers = { authorization: `Bearer ${key}` };
    const stops = Array.from({ length: 20 }, () => new AbortController());
    onTestFinished(() => stops.forEach((stop) => stop.abort()));
    for (const { signal } of stops)
      expect((await subject.orchestrator.fetch('/v1/live', { headers, signal })).status).toBe(200);
    const refused = await subject.orchestrator.json('/v1/live', { headers });
    expect([refused.status, refused.body['code']]).toEqual([429, 'rate_limited']);
    stops[0]!.abort();
    await expect
      .poll(async () => (await subject.orchestrator.fetch('/v1/live', { method: 'HEAD', headers })).status)
      .toBe(200);
    const again = new AbortController();
    onTestFinished(() => again.abort());
    await expect
      .poll(async () => {
        const response = await subject.orchestrator.fetch('/v1/live', { headers, signal: again.signal });
        if (response.status !== 200) await response.text();
        return response.status;
      })
      .toBe(200);
  });

  it('ends when the server stops', async () => {
    const first = await startOrchestrator();
    const client = new PhaselineClient({ baseUrl: first.url, retries: 0 });
    const { ended, stop } = await follow(client);
    expect(first.get(LiveHub).size).toBe(1);
    const metrics = await (await first.fetch('/metrics')).text();
    expect(metrics).toMatch(/^phaseline_live_connections\{.*\} 1$/m);
    expect(await first.stop()).toBe(true);
    stop();
    await ended;
  });
});

describe('answers of watched jobs', () => {
  async function startPublisher(): Promise<AnswerPublisher> {
    const listener = new ControlListener(subject.orchestrator.databaseUrls.service, { applicationName: 'spec-worker' });
    await listener.start();
    const publisher = new AnswerPublisher(subject.pool, listener);
    onTestFinished(async () => {
      publisher.close();
      await listener.close();
    });
    return publisher;
  }

  it('are sent as they are written, only to those who may read the job, from the beginning for one who joins late', async () => {
    const { key } = await subject.createCaller(viewer());
    const { own, other } = subject;
    const publisher = await startPublisher();
    const call = { phase: 1, step: 3, attempt: 1 };
    const [recorder, secret] = [own.jobId, other.jobId].map((jobId) => publisher.open({ ...call, jobId }));
    recorder!.add('Once ');
    secret!.add('not for you');
    const watch = [own.jobId, other.jobId];
    const { events } = await follow(createClient(key), { watch });
    expect(events[0]).toMatchObject({ watching: [{ jobId: own.jobId, hasAnswers: true }] });
    const answers = () => events.filter((event) => event.type === 'answer');
    await expect.poll(answers, { timeout: 10_000 }).toHaveLength(1);
    recorder!.add('upon');
    await expect.poll(answers, { timeout: 10_000 }).toHaveLength(2);
    recorder!.restart(2);
    recorder!.add('Twice');
    recorder!.end();
    await expect.poll(answers, { timeout: 10_000 }).toHaveLength(3);
    const about = { type: 'answer', jobId: own.jobId, phase: 1, step: 3 };
    expect(answers()).toEqual([
      { ...about, attempt: 1, sequence: 0, text: 'Once ', reset: true },
      { ...about, attempt: 1, sequence: 1, text: 'upon' },
      { ...about, attempt: 2, sequence: 0, text: 'Twice', reset: true, hasEnded: true },
    ]);
    const late = await follow(createClient(key), { watch });
    await expect
      .poll(() => late.events.find((event) => event.type === 'answer'), { timeout: 10_000 })
      .toMatchObject({
        attempt: 2,
        text: 'Twice',
        reset: true,
      });
  });

  it('are not sent for an encrypted job', async () => {
    const { key } = await subject.createCaller([{ role: 'operator', tenant: subject.own.tenant }]);
    const client = createClient(key);
    const { jobId } = await client.submit({ agent: 'writer', tenant: subject.own.tenant, encrypt: true });
    const { events } = await follow(client, { watch: [jobId] });
    expect(events[0]).toMatchObject({ watching: [{ jobId, hasAnswers: false }] });
  });

  it('are limited to 20 jobs per connection', async () => {
    const { key } = await subject.createCaller(viewer());
    const watch = Array.from({ length: 21 }, () => subject.own.jobId).join(',');
    const refused = await subject.orchestrator.json(`/v1/live?watch=${watch}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request']);
  });
});
