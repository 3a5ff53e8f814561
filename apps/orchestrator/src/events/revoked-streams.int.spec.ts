import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phaseEvents } from '../testing/orchestrator-for-specs.js';
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

async function openStream(headers: Readonly<Record<string, string>>): Promise<OpenStream> {
  const { orchestrator, own } = subject;
  const response = await orchestrator.fetch(`/v1/jobs/${own.jobId}/events`, {
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
});
