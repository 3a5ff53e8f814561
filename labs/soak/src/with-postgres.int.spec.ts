import { access } from 'node:fs/promises';
import { createPool } from '@phaseline/event-store';
import { expect, it } from 'vitest';
import { withPostgres } from './with-postgres.js';

it('runs on a migrated database, and removes its data even if the run fails', async () => {
  let directory = '';
  const failed = withPostgres(async ({ serviceUrl, dataDirectory }) => {
    directory = dataDirectory;
    await access(directory);
    const pool = createPool(serviceUrl, { max: 1 });
    const { rows } = await pool.query('SELECT count(*)::int AS events FROM phaseline.events');
    await pool.end();
    expect(rows).toEqual([{ events: 0 }]);
    throw new Error('the run failed');
  });
  await expect(failed).rejects.toThrow('the run failed');
  expect(directory).not.toBe('');
  await expect(access(directory)).rejects.toThrow('ENOENT');
}, 60_000);
