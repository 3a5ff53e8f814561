import { fail, ok, type Check } from '../check.js';

/** Whether the database answers, and is new enough. */
export const database: Check = {
  name: 'database',
  run: async (patient) => {
    const { pool, limits, place } = patient;
    const away = await patient.missing('database');
    if (away !== undefined)
      return fail(`${place}: ${away}`, 'start PostgreSQL or the stack (`phaseline up`), or correct DATABASE_URL');
    const { rows } = await pool.query<{ number: string; version: string; recovery: boolean }>(
      `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
              pg_is_in_recovery() AS recovery`,
    );
    const { number, version, recovery } = rows[0]!;
    if (Number(number) < limits.postgresMajor * 10_000)
      return fail(
        `${place} is PostgreSQL ${version}; ${limits.postgresMajor} is needed`,
        `upgrade the server to PostgreSQL ${limits.postgresMajor}`,
      );
    if (recovery) return fail(`${place} is a standby and takes no writes`, 'point DATABASE_URL to the primary');
    return ok(`PostgreSQL ${version}, ${place}`);
  },
};
