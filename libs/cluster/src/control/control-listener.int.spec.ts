import { afterEach, describe, expect, it } from 'vitest';
import { EventStore } from '@phaseline/event-store';
import { appendTo, cutConnections, eventually, freshStream, useTestDatabase } from '@phaseline/event-store/testing';
import { ControlListener } from './control-listener.js';

const pools = useTestDatabase();
const open: ControlListener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

async function listen(errors: Error[] = []): Promise<{ listener: ControlListener; heard: (string | undefined)[] }> {
  const listener = new ControlListener(pools.database.serviceUrl, {
    applicationName: 'spec-listener',
    onError: (error) => errors.push(error),
  });
  open.push(listener);
  const heard: (string | undefined)[] = [];
  listener.subscribe((correlationId) => heard.push(correlationId));
  await listener.start();
  return { listener, heard };
}

describe('ControlListener', () => {
  it('hears of appends with wake, and of no others', async () => {
    const { heard } = await listen();
    const store = new EventStore(pools.service);
    await store.append(appendTo(freshStream(), { correlationId: 'quiet' }));
    await store.append(appendTo(freshStream(), { correlationId: 'alone', wake: true }));
    await Promise.all(
      ['one', 'two'].map((correlationId) => store.append(appendTo(freshStream(), { correlationId, wake: true }))),
    );
    await eventually(() => heard.length >= 3 || undefined);
    expect([...heard].sort()).toEqual(['alone', 'one', 'two']);
  });

  it('does not hear of an append that was refused', async () => {
    const { heard } = await listen();
    const store = new EventStore(pools.service);
    await store.append(appendTo(freshStream(), { wake: true, expectedVersion: 3 })).catch(() => undefined);
    await store.append(appendTo(freshStream(), { wake: true, correlationId: 'after' }));
    await eventually(() => heard.includes('after') || undefined);
    expect(heard).toEqual(['after']);
  });

  it('connects again by itself when the connection is cut, and says that it may have missed something', async () => {
    const errors: Error[] = [];
    const { heard } = await listen(errors);
    expect(await cutConnections(pools, 'spec-listener')).toBe(1);
    await eventually(() => heard.includes(undefined) || undefined);
    await new EventStore(pools.service).append(appendTo(freshStream(), { wake: true, correlationId: 'again' }));
    await eventually(() => heard.includes('again') || undefined);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('starts also when the database cannot be reached yet', async () => {
    const errors: Error[] = [];
    const listener = new ControlListener('postgres://nobody:x@127.0.0.1:1/none', {
      onError: (error) => errors.push(error),
    });
    open.push(listener);
    await listener.start();
    await eventually(() => errors.length >= 2 || undefined);
    await listener.close();
    const count = errors.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(errors.length).toBe(count);
  });

  it('leaves no connection behind', async () => {
    const { listener } = await listen();
    await listener.close();
    await eventually(async () => {
      const { rowCount } = await pools.service.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'spec-listener'`,
      );
      return rowCount === 0 || undefined;
    });
  });
});
