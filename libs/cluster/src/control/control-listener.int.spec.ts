import { afterEach, describe, expect, it } from 'vitest';
import { EventStore } from '@phaseline/event-store';
import { appendTo, cutConnections, waitUntil, createStreamId, useTestDatabase } from '@phaseline/event-store/testing';
import { ControlListener } from './control-listener.js';

const pools = useTestDatabase();
const open: ControlListener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

async function listen(errors: Error[] = []): Promise<{ listener: ControlListener; received: (string | undefined)[] }> {
  const listener = new ControlListener(pools.database.serviceUrl, {
    applicationName: 'spec-listener',
    onError: (error) => errors.push(error),
  });
  open.push(listener);
  const received: (string | undefined)[] = [];
  listener.subscribe((correlationId) => received.push(correlationId));
  await listener.start();
  return { listener, received };
}

describe('ControlListener', () => {
  it('is notified of appends with wake, and of no others', async () => {
    const { received } = await listen();
    // Otherwise the first append after a pause is announced too.
    const store = new EventStore(pools.service, { announceAfterMs: Infinity });
    await store.append(appendTo(createStreamId(), { correlationId: 'quiet' }));
    await store.append(appendTo(createStreamId(), { correlationId: 'alone', wake: true }));
    await Promise.all(
      ['one', 'two'].map((correlationId) => store.append(appendTo(createStreamId(), { correlationId, wake: true }))),
    );
    await waitUntil(() => received.length >= 3 || undefined);
    expect([...received].sort()).toEqual(['alone', 'one', 'two']);
  });

  it('is not notified of a rejected append', async () => {
    const { received } = await listen();
    const store = new EventStore(pools.service);
    await store.append(appendTo(createStreamId(), { wake: true, expectedVersion: 3 })).catch(() => undefined);
    await store.append(appendTo(createStreamId(), { wake: true, correlationId: 'after' }));
    await waitUntil(() => received.includes('after') || undefined);
    expect(received).toEqual(['after']);
  });

  it('reconnects after a cut connection, and calls subscribers with undefined because it may have missed events', async () => {
    const errors: Error[] = [];
    const { received } = await listen(errors);
    expect(await cutConnections(pools, 'spec-listener')).toBe(1);
    await waitUntil(() => received.includes(undefined) || undefined);
    await new EventStore(pools.service).append(appendTo(createStreamId(), { wake: true, correlationId: 'again' }));
    await waitUntil(() => received.includes('again') || undefined);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('starts even if the database is not reachable yet', async () => {
    const errors: Error[] = [];
    const listener = new ControlListener('postgres://nobody:x@127.0.0.1:1/none', {
      onError: (error) => errors.push(error),
    });
    open.push(listener);
    await listener.start();
    await waitUntil(() => errors.length >= 2 || undefined);
    await listener.close();
    const count = errors.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(errors.length).toBe(count);
  });

  it('closes its connection', async () => {
    const { listener } = await listen();
    await listener.close();
    await waitUntil(async () => {
      const { rowCount } = await pools.service.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'spec-listener'`,
      );
      return rowCount === 0 || undefined;
    });
  });
});
