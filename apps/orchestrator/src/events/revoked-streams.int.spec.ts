import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { phaseEvents, post, startOrchestrator } from '../testing/orchestrator-for-specs.js';
import { administrator, startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';

let subject: TwoTenants;
beforeAll(async () => {
  subject = await startTwoTenants();
});
afterAll(() => subject?.stop());

interface OpenStream {
  /** Reads until a text has arrived. Rejects if the stream ends before. */
  readUntil(text: string): Promise<void>;
  /** Reads to the end, and returns everything that was sent. */
  readAll(): Promise<string>;
}

async function openStream(
  headers: Readonly<Record<string, string>>,
  { orchestrator, jobId } = { orchestrator: subject.orchestrator, jobId: subject.own.jobId },
): Promise<OpenStream> {
  const response = await orchestrator.fetch(`/v1/jobs/${jobId}/events`, {
    headers: { accept: 'text/event-stream', ...headers },
  });
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readMore = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += value ?? '';
    return !done;
  };
  return {
    readUntil: async (expected) => {
      while (!text.includes(expected)) if (!(await readMore())) throw new Error(`the stream ended before ${expected}`);
    },
    readAll: async () => {
      while (await readMore());
      return text;
    },
  };
}

/** Appends an event to the job that the streams follow. */
async function record(content: string): Promise<void> {
  const event = phaseEvents.answered(1);
  if (event.type !== 'ModelResponded') throw new Error('expected an answer');
  const { orchestrator, own } = subject;
  await orchestrator.inPhase(own.jobId, 1, [{ ...event, data: { ...event.data, content } }]);
}

const viewer = () => [{ role: 'viewer', tenant: subject.own.tenant }] as const;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('an open event stream ends', () => {
  it.each([
    [
      'its key is revoked',
      async (id: string, prefix: string) => {
        await subject.principals.revokeKey(administrator, prefix, 'lost');
        return id;
      },
    ],
    ['its principal is disabled', (id: string) => subject.principals.disable(administrator, id, 'left')],
    [
      'its principal loses the role',
      (id: string) => subject.principals.revokeRole(administrator, id, 'viewer', subject.own.tenant),
    ],
  ])('when %s, and sends none of the events after its end', async (name, revoke) => {
    const { id, key } = await subject.createCaller(viewer());
    const kept = await subject.createCaller(viewer());
    const [stream, other] = [await openStream(bearer(key)), await openStream(bearer(kept.key))];
    await record(`before: ${name}`);
    await stream.readUntil(`before: ${name}`);
    await revoke(id, key.slice(4, 12));
    const text = await stream.readAll();
    expect(text).not.toContain('event: end');
    await record(`after: ${name}`);
    // The stream of another key continues.
    await other.readUntil(`after: ${name}`);
    const again = await subject.orchestrator.fetch(`/v1/jobs/${subject.own.jobId}/events`, { headers: bearer(key) });
    expect([401, 403]).toContain(again.status);
  });

  it('when its key expires', async () => {
    const { id } = await subject.createCaller(viewer());
    const { key } = await subject.principals.createKey(administrator, id, {
      label: 'short',
      expiresAt: new Date(Date.now() + 3_000).toISOString(),
    });
    expect(await (await openStream(bearer(key))).readAll()).not.toContain('event: end');
  });

  it('when the principal for whom its caller acts loses the role', async () => {
    const person = await subject.createCaller(viewer());
    const service = await subject.createCaller([...viewer(), { role: 'delegate', tenant: subject.own.tenant }]);
    const stream = await openStream({ ...bearer(service.key), 'on-behalf-of': person.id });
    await subject.principals.revokeRole(administrator, person.id, 'viewer', subject.own.tenant);
    expect(await stream.readAll()).not.toContain('event: end');
  });

  describe('of a browser', () => {
    /** Signs a new viewer in with a link. */
    const signIn = async () => {
      const { id, key } = await subject.createCaller(viewer());
      const { orchestrator } = subject;
      const link = await orchestrator.fetch('/v1/login-links', { method: 'POST', headers: bearer(key) });
      const { token } = (await link.json()) as { token: string };
      const response = await orchestrator.fetch('/login', post({ token }));
      expect(response.status).toBe(204);
      return { id, key, cookie: response.headers.get('set-cookie')!.split(';')[0]! };
    };
    const expire = (id: string, column: 'idle_until' | 'expires_at') =>
      subject.pool.query(
        `UPDATE phaseline.sessions SET ${column} = clock_timestamp() - interval '1 second' WHERE principal = $1`,
        [id],
      );

    it.each([
      [
        'the person signs out',
        async ({ cookie }: { cookie: string }) => {
          const headers = { cookie, 'sec-fetch-site': 'same-origin' };
          expect((await subject.orchestrator.fetch('/logout', post({}, headers))).status).toBe(204);
        },
      ],
      ['its session reaches its maximum age', ({ id }: { id: string }) => expire(id, 'expires_at')],
      ['its session was idle for too long', ({ id }: { id: string }) => expire(id, 'idle_until')],
      [
        'the key with which the person signed in is revoked',
        ({ key }: { key: string }) => subject.principals.revokeKey(administrator, key.slice(4, 12), 'lost'),
      ],
    ])('when %s, and the streams of others continue', async (name, end) => {
      const [ended, kept] = [await signIn(), await signIn()];
      const [stream, other] = [await openStream({ cookie: ended.cookie }), await openStream({ cookie: kept.cookie })];
      await record(`before: ${name}`);
      await stream.readUntil(`before: ${name}`);
      await end(ended);
      expect(await stream.readAll()).not.toContain('event: end');
      await record(`after: ${name}`);
      await other.readUntil(`after: ${name}`);
    });

    it('also where no key is needed, so that it does not continue as the one of the local user', async () => {
      const orchestrator = await startOrchestrator();
      onTestFinished(async () => void (await orchestrator.stop()));
      const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
      const { jobId } = await client.submit({ agent: 'writer' });
      const { url } = await client.createLoginLink();
      const response = await orchestrator.fetch('/login', post({ token: new URL(url).hash.slice(1) }));
      const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
      const stream = await openStream({ cookie }, { orchestrator, jobId });
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      expect((await orchestrator.fetch('/logout', post({}, headers))).status).toBe(204);
      expect(await stream.readAll()).not.toContain('event: end');
    });

    it('and keeps no idle session alive', async () => {
      const { id, cookie } = await signIn();
      const stream = await openStream({ cookie });
      await subject.pool.query(
        `UPDATE phaseline.sessions SET idle_until = clock_timestamp() + interval '3 seconds' WHERE principal = $1`,
        [id],
      );
      expect(await stream.readAll()).not.toContain('event: end');
    });
  });
});
