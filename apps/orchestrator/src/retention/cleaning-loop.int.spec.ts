import { createPool } from '@phaseline/event-store';
import { createLogger } from '@phaseline/service';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { orchestratorConfigSchema } from '../orchestrator-config.js';
import { CleaningLoop } from './cleaning-loop.js';

it('removes rows after the days of their setting, again after each pause, also if one failed in between', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl, { max: 2 });
  const owner = createPool(database.ownerUrl, { max: 1 });
  try {
    const stop = new AbortController();
    const log: string[] = [];
    const logger = createLogger({
      ...{ service: 'orchestrator', processId: 'spec', level: 'info', env: {} },
      destination: { write: (line) => void log.push(line) },
    });
    const config = orchestratorConfigSchema.parse({
      DATABASE_URL: database.serviceUrl,
      PHASELINE_KEEP_DEAD_LETTERS_DAYS: '7',
    });
    const add = (days: number) =>
      pool.query(
        `INSERT INTO phaseline.dead_letters (queue, message_id, payload, reason, attempts, retried_at)
         VALUES ('jobs', $1::int::text, '{}', 'r', 1, now() - make_interval(days => $1::int))`,
        [days],
      );
    await add(8);
    await add(6);
    const pauses: number[] = [];
    await new CleaningLoop(config, logger, pool, stop.signal).run(async (ms) => {
      pauses.push(ms);
      // An hour has passed.
      await pool.query(`UPDATE phaseline.table_cleanings SET started_at = started_at - interval '1 hour'`);
      if (pauses.length === 2) await owner.query('ALTER TABLE phaseline.dead_letters RENAME TO moved');
      if (pauses.length === 3) {
        await owner.query('ALTER TABLE phaseline.moved RENAME TO dead_letters');
        await add(9);
      }
      if (pauses.length === 4) stop.abort();
    });
    const { rows } = await pool.query(`SELECT message_id FROM phaseline.dead_letters`);
    expect(rows).toEqual([{ message_id: '6' }]);
    expect(pauses[0]).toBeLessThanOrEqual(75_000);
    expect(pauses.slice(1).every((ms) => ms >= 900_000 && ms <= 1_500_000)).toBe(true);
    expect(log.join('')).toMatch(/old rows were removed.*old rows could not be removed.*old rows were removed/s);
  } finally {
    await pool.end();
    await owner.end();
    await database.drop();
  }
});
