import { createTestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PostgresTransport } from './postgres-transport.js';

it('listens again after its connection was cut, and leaves no connection behind when it closes', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.serviceUrl, max: 2 });
  pool.on('error', () => {});
  const received: string[] = [];
  const transport = new PostgresTransport(pool);
  await transport.listen('one', (text) => received.push(text));
  await transport.post([
    { to: 'one', text: 'first' },
    { to: 'two', text: 'not ours' },
    { to: undefined, text: 'for all' },
  ]);
  await vi.waitFor(() => expect(received).toEqual(['first', 'for all']), { timeout: 5_000 });

  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  );
  await vi.waitFor(
    async () => {
      await transport.post([{ to: 'one', text: 'again' }]);
      expect(received).toContain('again');
    },
    { timeout: 10_000 },
  );
  await transport.close();
  await pool.end();
});
