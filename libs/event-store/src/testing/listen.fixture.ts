import pg from 'pg';
import type { Wakeups } from '../tail/wakeups.js';

/** Listens for control events on a connection that is not reconnected when it breaks. */
export async function listenForWakeups(url: string): Promise<Wakeups & { close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  const callbacks = new Set<(correlationId: string | undefined) => void>();
  client.on('notification', ({ payload }) => callbacks.forEach((callback) => callback(payload)));
  await client.connect();
  await client.query('LISTEN phaseline_control');
  return {
    subscribe: (callback) => {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    close: () => client.end(),
  };
}
