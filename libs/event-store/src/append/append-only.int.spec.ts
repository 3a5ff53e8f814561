import { beforeAll, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, newEvent, useTestDatabase } from '../testing/store.fixture.js';

const pools = useTestDatabase();
beforeAll(async () => {
  await new EventStore(pools.service).append(appendTo('stream', { events: [newEvent(), newEvent()] }));
});

const changes = {
  UPDATE: `UPDATE phaseline.events SET data = '{}'`,
  'UPDATE of nothing': `UPDATE phaseline.events SET data = '{}' WHERE false`,
  DELETE: 'DELETE FROM phaseline.events',
  TRUNCATE: 'TRUNCATE phaseline.events',
};

describe('the owner of the log', () => {
  it.each(Object.entries(changes))('is refused %s', async (_, statement) => {
    await expect(pools.owner.query(statement)).rejects.toMatchObject({ code: 'PL001' });
  });

  it('is refused also as a replica would be (triggers fire always)', async () => {
    const { rows } = await pools.owner.query(
      `SELECT tgenabled FROM pg_trigger WHERE tgname = 'events_are_append_only'`,
    );
    expect(rows).toEqual([{ tgenabled: 'A' }]);
  });
});

describe('a service', () => {
  it.each([
    ...Object.entries(changes),
    ['INSERT into events', `INSERT INTO phaseline.events OVERRIDING SYSTEM VALUE SELECT * FROM phaseline.events`],
    [
      'INSERT into streams',
      `INSERT INTO phaseline.streams SELECT 'x', 1, hash, 'c', false, now() FROM phaseline.streams`,
    ],
    ['UPDATE of streams', `UPDATE phaseline.streams SET closed = false`],
    ['DELETE from streams', `DELETE FROM phaseline.streams`],
    ['TRUNCATE of streams', `TRUNCATE phaseline.streams`],
    ['DELETE from blobs', `DELETE FROM phaseline.blobs`],
    ['UPDATE of blobs', `UPDATE phaseline.blobs SET content = ''`],
    ['disabling the trigger', 'ALTER TABLE phaseline.events DISABLE TRIGGER ALL'],
    [
      'replacing the append',
      `CREATE OR REPLACE FUNCTION phaseline.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    ],
    ['a function of its own in the schema', `CREATE FUNCTION phaseline.mine() RETURNS integer LANGUAGE sql RETURN 1`],
  ])('may not: %s', async (_, statement) => {
    await expect(pools.service.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('cannot store a blob under a name that is not its hash, not even by hand', async () => {
    await expect(
      pools.service.query(`INSERT INTO phaseline.blobs (hash, content) VALUES (sha256('a'), 'b')`),
    ).rejects.toMatchObject({ code: '23514' });
  });

  it('cannot slip a table of its own under the append', async () => {
    // As a server has it unless told otherwise.
    const { database } = (await pools.owner.query<{ database: string }>('SELECT current_database() AS database'))
      .rows[0]!;
    await pools.owner.query(`GRANT TEMPORARY ON DATABASE "${database}" TO PUBLIC`);
    const client = await pools.service.connect();
    try {
      await client.query(
        `SET search_path = pg_temp, phaseline; CREATE TEMP TABLE streams (stream_id text, version bigint, hash bytea, closed boolean, correlation_id text)`,
      );
      await client.query(`INSERT INTO pg_temp.streams VALUES ('stream', 41, sha256(''), false, 'of-stream')`);
      await expect(
        new EventStore(pools.service).appendWithin(client, appendTo('stream', { expectedVersion: 41 })),
      ).rejects.toMatchObject({ actual: 2 });
    } finally {
      client.release(true);
    }
  });
});

it('nothing of all that changed the log', async () => {
  expect(await new EventStore(pools.service).read('stream')).toHaveLength(2);
});
