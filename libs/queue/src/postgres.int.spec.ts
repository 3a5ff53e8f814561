import { createTestPool } from '@phaseline/testing';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PhaseMessage } from '@phaseline/contracts';
import { createQueues, type BackendConfig, type QueuesOptions } from './create-queues.js';
import { migrateQueues } from './migrate-queues.js';
import { QueuePoolTooSmall, QueuesNotMigrated, QueueUnavailable } from './queue-errors.js';
import type { OutgoingMessage, Queues } from './queues.js';
import { postgresHarness } from './testing/postgres-harness.js';
import { WAIT_OPTIONS, queueContract } from './testing/queue-contract.js';

const message = (phase = 1): PhaseMessage => ({ jobId: randomUUID(), phase, version: 1, epoch: 0 });
const tactical = (phase: number): OutgoingMessage => ({ queue: 'tactical', payload: message(phase) });

describe('queues on PostgreSQL', () => {
  queueContract(postgresHarness);

  describe('beyond the contract', () => {
    let place: Awaited<ReturnType<typeof postgresHarness.createFixture>>;
    let open: Queues[];

    async function connect(
      config: BackendConfig = place.config,
      options: Partial<QueuesOptions> = {},
    ): Promise<Queues> {
      const queues = await createQueues(config, {
        onDeadLetter: async () => {},
        onError: () => {},
        ...options,
      });
      open.push(queues);
      return queues;
    }

    /** Opens a connection whose search_path does not include the schema of the queues. */
    async function asService<T>(
      use: (client: pg.Client) => Promise<T>,
      connectionString = place.serviceUrl,
    ): Promise<T> {
      const client = new pg.Client({ connectionString, options: '-c search_path=public' });
      await client.connect();
      try {
        return await use(client);
      } finally {
        await client.end();
      }
    }

    beforeEach(async () => {
      place = await postgresHarness.createFixture();
      open = [];
    });

    afterEach(async () => {
      await Promise.all(open.map((queues) => queues.close(3_000)));
      await place.dispose();
    });

    it('starts a message on its notification, even if the next check is an hour away', async () => {
      const queues = await connect(place.config, { tuning: { stalledCheckMs: 3_600_000 } });
      const handled: number[] = [];
      await queues.work('tactical', async ({ phase }) => void handled.push(phase));
      // The first check and the worker's first poll happen at the start.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      for (const phase of [1, 2, 3]) {
        await queues.send('tactical', message(phase));
        await expect.poll(() => handled, WAIT_OPTIONS).toContain(phase);
      }
    });

    it('check() does not query a server that answered recently', async () => {
      const pool = createTestPool({ connectionString: place.serviceUrl, options: '-c search_path=bullmq', max: 12 });
      let statements = 0;
      pool.on('acquire', () => (statements += 1));
      const queues = await connect({ backend: 'postgres', pool } as BackendConfig, {
        tuning: { stalledCheckMs: 3_600_000 },
      });
      const countStatementsOfCheck = async (): Promise<number> => {
        const before = statements;
        await queues.check();
        return statements - before;
      };
      expect(await countStatementsOfCheck()).toBeGreaterThan(0);
      await queues.work('tactical', async () => undefined);
      await expect.poll(countStatementsOfCheck).toBe(0);
      await queues.close(5_000);
      await pool.end();
    });

    it('sendIn makes messages visible and wakes a waiting worker when the transaction commits', async () => {
      const queues = await connect();
      const delivered: number[] = [];
      await queues.work('tactical', async ({ phase }) => void delivered.push(phase));
      await asService(async (client) => {
        await client.query('BEGIN');
        await queues.sendIn(client, [tactical(1), tactical(2), { queue: 'jobs', payload: { agent: 'creator' } }]);
        expect((await queues.readDepths()).jobs.waiting).toBe(0);
        await queues.send('tactical', message(3));
        await vi.waitFor(() => expect(delivered).toEqual([3]), WAIT_OPTIONS);
        await client.query('COMMIT');
      });
      await vi.waitFor(() => expect(delivered.toSorted()).toEqual([1, 2, 3]), WAIT_OPTIONS);
      expect((await queues.readDepths()).jobs.waiting).toBe(1);
    });

    it('sendIn sends nothing when the transaction rolls back, and the id stays free', async () => {
      const queues = await connect();
      await asService(async (client) => {
        await client.query('BEGIN');
        await queues.sendIn(client, [{ ...tactical(1), options: { id: 'undone' } } as OutgoingMessage]);
        await client.query('ROLLBACK');
      });
      expect(await queues.has('tactical', 'undone')).toBe(false);
      await queues.send('tactical', message(2), { id: 'undone' });
      expect((await queues.readDepths()).tactical.waiting).toBe(1);
    });

    it('sendIn leaves the transaction usable after an invalid message, and passes on errors of the transaction', async () => {
      const queues = await connect();
      await asService(async (client) => {
        await client.query('BEGIN');
        await expect(queues.sendIn(client, [tactical(-1)])).rejects.toMatchObject({ code: 'queue_invalid_message' });
        await queues.sendIn(client, [tactical(1)]);
        await expect(client.query('SELECT 1 / 0')).rejects.toThrow();
        await expect(queues.sendIn(client, [tactical(2)])).rejects.toMatchObject({ code: '25P02' });
        await client.query('ROLLBACK');
      });
      expect((await queues.readDepths()).tactical.waiting).toBe(0);
    });

    it('send does not join a concurrent transaction of sendIn', async () => {
      const queues = await connect();
      await asService(async (client) => {
        await client.query('BEGIN');
        await Promise.all([
          queues.sendIn(client, [tactical(1), tactical(2)]),
          queues.send('tactical', message(3)),
          queues.send('tactical', message(4)),
        ]);
        await client.query('ROLLBACK');
      });
      expect((await queues.readDepths()).tactical.waiting).toBe(2);
    });

    it('waits for the disk only when sending submissions', async () => {
      await asService(async (owner) => {
        await owner.query(`
          CREATE TABLE public.seen (queue text, setting text);
          GRANT INSERT ON public.seen TO phaseline_service;
          CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO public.seen VALUES (NEW.queue, current_setting('synchronous_commit')); RETURN NULL; END $$;
          CREATE TRIGGER note AFTER INSERT ON bullmq.job FOR EACH ROW EXECUTE FUNCTION public.note()`);
        const queues = await connect();
        await queues.send('jobs', { agent: 'creator' });
        await queues.sendMany([{ queue: 'jobs', payload: { agent: 'creator' } }, tactical(1)]);
        await queues.send('tactical', message(2));
        const strict = await connect({
          backend: 'postgres',
          connectionString: place.serviceUrl,
          synchronousCommit: true,
        });
        await strict.send('strategic', message());
        const { rows } = await owner.query(
          'SELECT queue, setting, count(*)::int FROM public.seen GROUP BY 1, 2 ORDER BY 1, 2',
        );
        expect(rows).toEqual([
          { queue: 'jobs', setting: 'on', count: 2 },
          { queue: 'strategic', setting: 'on', count: 1 },
          { queue: 'tactical', setting: 'off', count: 2 },
        ]);
      }, place.ownerUrl);
    });

    it('refuses a worker that would leave no connection for queries', async () => {
      const queues = await connect({ backend: 'postgres', connectionString: place.serviceUrl, maxConnections: 5 });
      await queues.work('tactical', async () => {});
      await expect(queues.work('strategic', async () => {})).rejects.toThrow(QueuePoolTooSmall);
    });

    it('uses the pool of the caller and leaves it open; refuses a pool whose search_path lacks the schema', async () => {
      const pool = createTestPool({ connectionString: place.serviceUrl, options: '-c search_path=bullmq', max: 6 });
      const queues = await connect({ backend: 'postgres', pool });
      const delivered: number[] = [];
      await queues.work('tactical', async ({ phase }) => void delivered.push(phase));
      await queues.send('tactical', message(9));
      await vi.waitFor(() => expect(delivered).toEqual([9]), WAIT_OPTIONS);
      expect(await queues.close(3_000)).toMatchObject({ clean: true });
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
      const wrong = createTestPool({ connectionString: place.serviceUrl });
      await expect(connect({ backend: 'postgres', pool: wrong })).rejects.toThrow(/search_path/);
      await wrong.end();
    });

    it('says what to do if the queue tables are missing, or this login may not use them', async () => {
      await asService((owner) => owner.query('REVOKE ALL ON SCHEMA bullmq FROM phaseline_service'), place.ownerUrl);
      await expect(connect()).rejects.toThrow(/must be a member of phaseline_service/);
      await asService((owner) => owner.query('DROP SCHEMA bullmq CASCADE'), place.ownerUrl);
      await expect(connect()).rejects.toThrow(QueuesNotMigrated);
    });

    it('reports a wrong password immediately instead of retrying', async () => {
      const url = new URL(place.serviceUrl);
      url.password = 'wrong';
      await expect(connect({ backend: 'postgres', connectionString: url.href })).rejects.toThrow(QueueUnavailable);
    });

    it('can be migrated repeatedly and concurrently, and keeps the rights', async () => {
      await Promise.all([migrateQueues(place.ownerUrl), migrateQueues(place.ownerUrl)]);
      const queues = await connect();
      await queues.send('tactical', message());
      expect((await queues.readDepths()).tactical.waiting).toBe(1);
    });
  });
});
