import { readMigrationFiles } from '@phaseline/event-store';
import { fail, ok, formatList, warn, type Check } from '../check.js';

/** Compares the migrations applied to the database with those of this release. */
export const migrations: Check = {
  name: 'migrations',
  needs: ['database'],
  run: async function* (target) {
    const files = await readMigrationFiles();
    if ((await target.whyMissing('schema')) !== undefined)
      return fail('the database has no Phaseline schema', 'phaseline migrate, with DATABASE_URL of its owner');
    const { rows } = await target.pool.query<{ name: string; hash: string }>(
      'SELECT name, hash FROM phaseline.migrations ORDER BY name',
    );
    const applied = new Map(rows.map(({ name, hash }) => [name, hash]));
    const known = new Set(files.map(({ name }) => name));
    const missing = files.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
    const changed = files.filter(({ name, hash }) => applied.has(name) && applied.get(name) !== hash);
    const newer = rows.filter(({ name }) => !known.has(name)).map(({ name }) => name);
    if (missing.length > 0)
      yield fail(
        `the database lacks ${formatList(missing)}; services of this release do not start`,
        'phaseline migrate, with DATABASE_URL of its owner',
      );
    if (changed.length > 0)
      yield fail(
        `${formatList(changed.map(({ name }) => name))} was edited after it was applied; the schema may not be what the code expects`,
        'restore the original file, and write the change as a new migration',
      );
    if (newer.length > 0)
      yield warn(
        `the database has ${formatList(newer)}, which this release does not know`,
        'use the release that migrated it, or a newer one',
      );
    return ok(`all ${files.length} applied`);
  },
};
