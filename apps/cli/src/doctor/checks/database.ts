import { fail, ok, type Check } from '../check.js';

/** Checks that the database is reachable, recent enough and accepts writes. */
export const database: Check = {
  name: 'database',
  run: async (target) => {
    const { pool, limits, databaseName } = target;
    const problem = await target.whyMissing('database');
    if (problem !== undefined)
      return fail(
        `${databaseName}: ${problem}`,
        'start PostgreSQL or the stack (`phaseline up`), or correct DATABASE_URL',
      );
    const { rows } = await pool.query<{ number: string; version: string; recovery: boolean }>(
      `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
              pg_is_in_recovery() AS recovery`,
    );
    const { number, version, recovery } = rows[0]!;
    if (Number(number) < limits.postgresMajor * 10_000)
      return fail(
        `${databaseName} is PostgreSQL ${version}; version ${limits.postgresMajor} is required`,
        `upgrade the server to PostgreSQL ${limits.postgresMajor}`,
      );
    if (recovery)
      return fail(`${databaseName} is a standby and accepts no writes`, 'point DATABASE_URL to the primary');
    return ok(`PostgreSQL ${version}, ${databaseName}`);
  },
};
