import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { withDatabaseTime } from './database-time.js';

const require = createRequire(import.meta.url);
const { SQL_COMMANDS } = require(join(dirname(require.resolve('bullmq')), 'postgres/sql-scripts.js')) as {
  SQL_COMMANDS: Readonly<Record<string, string>>;
};

/** Statements that this library never calls: schedulers, deduplication by key, cleaning by age, metrics, flows, relays. */
const unused =
  /^(add_job_scheduler|update_job_scheduler|get_deduplication_job_id|remove_deduplication_key|clean|retry_jobs|get_delayed_count|collect_metrics|add_flow|add_jobs_bulk|relay_\w+)\.sql$/;

it('every BullMQ statement that takes or returns a time uses the time of the database', () => {
  const timed = Object.entries(SQL_COMMANDS)
    .filter(([name]) => !unused.test(name))
    .filter(
      ([name, text]) =>
        /\$\d+ (now|now_ms|timestamp|finished_on|process_at)\b|next_delay/.test(text) || name === 'add_job.sql',
    );
  expect(timed.map(([name]) => name)).toContain('move_stalled_jobs_to_wait.sql');
  expect(timed.length).toBeGreaterThanOrEqual(14);
  for (const [name, text] of timed)
    expect({ name, text: withDatabaseTime(text).text }).toEqual({
      name,
      text: expect.stringContaining('clock_timestamp()') as string,
    });
});

it('leaves the comments and the other parameters of a statement unchanged', () => {
  const { text, values } = withDatabaseTime(SQL_COMMANDS['move_to_active.sql']!);
  expect(text).toContain('$4 now_ms');
  expect(text).toMatch(/move_to_active\(\$1, \$2, \$3, coalesce\(.*, \$4::bigint\), \$5, \$6, \$7\)/);
  expect(values([1, 2, 3])).toEqual([1, 2, 3]);
});
