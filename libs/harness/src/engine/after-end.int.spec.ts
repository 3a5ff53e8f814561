import { auditCheckerUrl } from '@phaseline/audit';
import {
  ALLOWED_AFTER_END,
  jobEndTypes,
  jobEventDefinitions,
  phaseEndTypes,
  phaseEventDefinitions,
} from '@phaseline/domain';
import { createPool, FOLLOWERS_OF_END } from '@phaseline/event-store';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it } from 'vitest';

it('the domain, the database, the audit and the audit checker agree on which events may follow an end', async () => {
  expect(Object.keys(ALLOWED_AFTER_END).sort()).toEqual([...jobEndTypes, ...phaseEndTypes, 'JobErased'].sort());
  expect(FOLLOWERS_OF_END).toEqual(ALLOWED_AFTER_END);
  // The audit checker imports none of this code, so it has its own copy of the table.
  expect(await import(auditCheckerUrl.href)).toMatchObject({ FOLLOWERS_OF_END: ALLOWED_AFTER_END });

  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl);
  try {
    const types = [...jobEventDefinitions, ...phaseEventDefinitions].map(({ type }) => type);
    const { rows } = await pool.query<{ previous: string; next: string }>(
      `SELECT p AS previous, n AS next FROM unnest($1::text[]) AS p, unnest($1::text[]) AS n WHERE NOT phaseline.may_follow(p, n)`,
      [types],
    );
    const refused = rows.map(({ previous, next }) => `${previous} ${next}`).sort();
    const expected = Object.entries(ALLOWED_AFTER_END).flatMap(([end, allowed]: [string, readonly string[]]) =>
      types.filter((type) => !allowed.includes(type)).map((type) => `${end} ${type}`),
    );
    expect(refused).toEqual(expected.sort());
    const { rows: found } = await pool.query<{ type: string }>(
      'SELECT t AS type FROM unnest($1::text[]) AS t WHERE phaseline.is_end(t)',
      [types],
    );
    expect(found.map(({ type }) => type).sort()).toEqual(Object.keys(ALLOWED_AFTER_END).sort());
  } finally {
    await pool.end();
    await database.drop();
  }
});
