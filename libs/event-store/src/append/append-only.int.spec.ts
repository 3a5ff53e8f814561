import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, newEvent, useTestDatabase } from '../testing/store.fixture.js';

const pools = useTestDatabase();
/** A connection with only the rights of a service, reused for all attempts. */
let service: pg.PoolClient;
let owner: string;
let superuser: string;
let before: string;

beforeAll(async () => {
  const store = new EventStore(pools.service);
  await store.append(appendTo('stream', { events: [newEvent(), newEvent()] }));
  await store.append(appendTo('closed', { closesStream: true }));
  await store.blobs.put(Buffer.from('a blob'));
  // An anchor that is valid as far as the database can check.
  await pools.owner.query(
    `INSERT INTO phaseline.audit_keys (key_id, public_key) VALUES (sha256('key'), 'key');
     INSERT INTO phaseline.anchors (number, previous_hash, anchored_at, key_id, horizon, position, streams, events, heads, root, hash, signature)
     VALUES (1, sha256(''), now(), sha256('key'), '3', 2, 1, 2, 1, sha256(''), sha256('1'), '');
     INSERT INTO phaseline.anchored_heads (anchor, stream_id, version, hash) SELECT 1, stream_id, version, hash FROM phaseline.streams WHERE stream_id = 'stream'`,
  );
  service = await pools.service.connect();
  owner = new URL(pools.database.ownerUrl).username;
  superuser = new URL(inject('testServer').superuserUrl).username;
  before = await fingerprint();
});
afterAll(async () => {
  expect(await fingerprint(), 'none of the attempts changed the log').toBe(before);
  service.release(true);
});

const protectedTables = ['events', 'streams', 'anchors', 'anchored_heads', 'audit_keys', 'blobs'] as const;

async function fingerprint(): Promise<string> {
  const parts = protectedTables.map(
    (table) =>
      `(SELECT string_agg(t::text, '|' ORDER BY t::text) FROM phaseline.${table} AS t WHERE t::text NOT LIKE '%allowed%')`,
  );
  const { rows } = await pools.owner.query<{ all: string }>(`SELECT concat_ws('||', ${parts.join(', ')}) AS all`);
  return rows[0]!.all;
}

/** Statements that write to a table; `column` is one of its columns. */
function writes(table: string, column: string): Record<string, string> {
  const t = `phaseline.${table}`;
  // The size of a blob is a generated column and cannot be inserted.
  const columns = table === 'blobs' ? '(hash, content)' : '';
  return {
    UPDATE: `UPDATE ${t} SET ${column} = ${column}`,
    'UPDATE of nothing': `UPDATE ${t} SET ${column} = ${column} WHERE false`,
    'UPDATE ONLY, from itself': `UPDATE ONLY ${t} AS a SET ${column} = b.${column} FROM ${t} AS b WHERE false`,
    DELETE: `DELETE FROM ${t}`,
    'DELETE in a WITH': `WITH gone AS (DELETE FROM ${t} RETURNING 1) SELECT * FROM gone`,
    TRUNCATE: `TRUNCATE ${t}`,
    'TRUNCATE CASCADE': `TRUNCATE ${t} RESTART IDENTITY CASCADE`,
    'INSERT ON CONFLICT DO UPDATE': `INSERT INTO ${t}${columns} OVERRIDING SYSTEM VALUE SELECT ${table === 'blobs' ? 'hash, content' : '*'} FROM ${t} ON CONFLICT ON CONSTRAINT ${table}_pkey DO UPDATE SET ${column} = EXCLUDED.${column}`,
    'MERGE that updates': `MERGE INTO ${t} AS t USING (SELECT 1) AS s ON true WHEN MATCHED THEN UPDATE SET ${column} = t.${column}`,
    'MERGE that deletes': `MERGE INTO ${t} AS t USING (SELECT 1) AS s ON true WHEN MATCHED THEN DELETE`,
    'SELECT FOR UPDATE': `SELECT 1 FROM ${t} FOR UPDATE`,
    'LOCK in the strongest mode': `BEGIN; LOCK TABLE ${t} IN ACCESS EXCLUSIVE MODE`,
    'EXPLAIN ANALYZE': `EXPLAIN ANALYZE DELETE FROM ${t}`,
    'dynamic SQL in a DO block': `DO $$ BEGIN EXECUTE 'DELETE FROM ${t}'; END $$`,
    'a prepared statement': `PREPARE gone_${table} AS DELETE FROM ${t}; EXECUTE gone_${table}`,
  };
}

/** Statements that insert into a table. Services may insert blobs, so these do not apply to them. */
function inserts(table: string): Record<string, string> {
  const t = `phaseline.${table}`;
  return {
    INSERT: `INSERT INTO ${t} DEFAULT VALUES`,
    'INSERT with explicit positions': `INSERT INTO ${t} OVERRIDING SYSTEM VALUE SELECT * FROM ${t}`,
    'COPY FROM': `COPY ${t} FROM STDIN`,
    'MERGE that inserts': `MERGE INTO ${t} AS t USING (SELECT 1) AS s ON false WHEN NOT MATCHED THEN INSERT DEFAULT VALUES`,
  };
}

/** Statements that change the definition of a table or its protection. */
function alterations(table: string): Record<string, string> {
  const t = `phaseline.${table}`;
  const own = `CREATE FUNCTION pg_temp.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;
  return {
    'disabling triggers': `ALTER TABLE ${t} DISABLE TRIGGER ALL`,
    'disabling user triggers': `ALTER TABLE ${t} DISABLE TRIGGER USER`,
    'making a trigger fire on replicas only': `ALTER TABLE ${t} ENABLE REPLICA TRIGGER ${table}_are_append_only`,
    'dropping the trigger': `DROP TRIGGER IF EXISTS ${table}_are_append_only ON ${t}; DROP TABLE ${t}`,
    'adding a trigger': `${own}; CREATE TRIGGER mine BEFORE INSERT ON ${t} FOR EACH ROW EXECUTE FUNCTION pg_temp.nothing()`,
    'adding a rule': `CREATE RULE mine AS ON SELECT TO ${t} DO INSTEAD NOTHING`,
    'dropping it': `DROP TABLE ${t} CASCADE`,
    'renaming it': `ALTER TABLE ${t} RENAME TO other`,
    'moving it': `ALTER TABLE ${t} SET SCHEMA public`,
    'adding a column': `ALTER TABLE ${t} ADD COLUMN mine text`,
    'changing the type of a column': `ALTER TABLE ${t} ALTER COLUMN hash TYPE text`,
    'a table that inherits from it': `CREATE TEMP TABLE child () INHERITS (${t})`,
    'row level security': `ALTER TABLE ${t} ENABLE ROW LEVEL SECURITY`,
    'a policy': `CREATE POLICY mine ON ${t} USING (true)`,
    'an index, whose expression would run as the owner': `CREATE INDEX ON ${t} ((1))`,
    'taking ownership of it': `ALTER TABLE ${t} OWNER TO CURRENT_USER`,
    // GRANT itself only warns that it granted nothing.
    'granting rights to itself': `GRANT ALL ON ${t} TO CURRENT_USER; DELETE FROM ${t}`,
    'granting rights to everybody': `GRANT ALL ON ${t} TO PUBLIC; DELETE FROM ${t}`,
    'clustering it': `CLUSTER ${t} USING ${table}_pkey`,
  };
}

/** Statements beyond tables: roles, settings, functions, system catalogues and server files. */
const elsewhere: Record<string, string> = {
  'replacing the function that rejects changes': `CREATE OR REPLACE FUNCTION phaseline.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  'replacing the hash': `CREATE OR REPLACE FUNCTION phaseline.event_hash(bytea, text, bigint, uuid, text, integer, text, text, text, text) RETURNS bytea LANGUAGE sql RETURN ''::bytea`,
  'dropping the function that rejects changes': 'DROP FUNCTION phaseline.refuse_change CASCADE',
  'changing the search path of the append function': 'ALTER FUNCTION phaseline.append SET search_path = public',
  'making the append function run with the rights of the caller': 'ALTER FUNCTION phaseline.append SECURITY INVOKER',
  'taking ownership of the append function': 'ALTER FUNCTION phaseline.append OWNER TO CURRENT_USER',
  'creating a function in the schema': 'CREATE FUNCTION phaseline.mine() RETURNS integer LANGUAGE sql RETURN 1',
  'creating a table in the schema': 'CREATE TABLE phaseline.mine (id integer)',
  'creating a function in the public schema': 'CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql RETURN 1',
  'creating a schema': 'CREATE SCHEMA mine',
  'dropping the schema': 'DROP SCHEMA phaseline CASCADE',
  'renaming the schema': 'ALTER SCHEMA phaseline RENAME TO other',
  'a SECURITY DEFINER function': `CREATE FUNCTION pg_temp.mine() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM phaseline.events'; SELECT pg_temp.mine()`,
  'deleting through an updatable view': 'CREATE TEMP VIEW mine AS SELECT * FROM phaseline.events; DELETE FROM mine',
  'resetting the sequence with setval': `SELECT setval('phaseline.events_position_seq', 1)`,
  'altering the sequence': 'ALTER SEQUENCE phaseline.events_position_seq RESTART',
  'consuming positions': `SELECT nextval('phaseline.events_position_seq')`,
  'the replica role': 'SET session_replication_role = replica',
  'the replica role through set_config': `SELECT set_config('session_replication_role', 'replica', false)`,
  'the replica role for later sessions': 'ALTER ROLE CURRENT_USER SET session_replication_role = replica',
  'allowing changes of system tables': 'SET allow_system_table_mods = on',
  'changing a setting of the whole server': 'ALTER SYSTEM SET session_replication_role = replica',
  'disabling a trigger in the catalogue': `UPDATE pg_catalog.pg_trigger SET tgenabled = 'D'`,
  'removing a trigger from the catalogue': `DELETE FROM pg_catalog.pg_trigger`,
  'changing the owner in the catalogue': `UPDATE pg_catalog.pg_class SET relowner = 10`,
  'becoming a superuser': 'ALTER ROLE CURRENT_USER SUPERUSER',
  'becoming able to create roles': 'ALTER ROLE CURRENT_USER CREATEROLE',
  'creating a role': 'CREATE ROLE mine SUPERUSER LOGIN',
  'the right to write all data': 'GRANT pg_write_all_data TO CURRENT_USER',
  'the rights of the service group with ADMIN OPTION': 'GRANT phaseline_service TO CURRENT_USER WITH ADMIN OPTION',
  'changing default privileges of the owner': 'ALTER DEFAULT PRIVILEGES FOR ROLE :owner GRANT ALL ON TABLES TO PUBLIC',
  'reassigning everything that belongs to the owner': 'REASSIGN OWNED BY :owner TO CURRENT_USER',
  'dropping everything that belongs to the owner': 'DROP OWNED BY :owner CASCADE',
  'the role of the owner': 'SET ROLE :owner',
  'the role of the superuser': 'SET ROLE :superuser',
  'the session authorization of the owner': 'SET SESSION AUTHORIZATION :owner',
  'membership in the role of the owner': 'GRANT :owner TO CURRENT_USER',
  'an event trigger': `CREATE FUNCTION pg_temp.et() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION pg_temp.et()`,
  'a function in C': `CREATE FUNCTION pg_temp.c() RETURNS void LANGUAGE c AS 'x', 'y'`,
  'aliasing an internal function': `CREATE FUNCTION pg_temp.i(text) RETURNS void LANGUAGE internal AS 'pg_read_file_all'`,
  'running a program on the server': `COPY (SELECT 1) TO PROGRAM 'true'`,
  'writing a server file': `COPY (SELECT 1) TO '/tmp/phaseline-never'`,
  'reading a server file': `SELECT pg_read_file('postgresql.conf')`,
  'exporting a large object to a server file': `SELECT lo_export(lo_create(0), '/tmp/phaseline-never')`,
  'importing a large object from a server file': `SELECT lo_import('/etc/hostname')`,
  'a foreign server': 'CREATE SERVER mine FOREIGN DATA WRAPPER postgres_fdw',
  'a logical replication subscription': `CREATE SUBSCRIPTION mine CONNECTION 'dbname=x' PUBLICATION y WITH (connect = false)`,
  'a publication': 'CREATE PUBLICATION mine FOR ALL TABLES',
  'a replication slot': `SELECT pg_create_logical_replication_slot('mine', 'pgoutput')`,
  'creating a database': 'CREATE DATABASE mine TEMPLATE template0',
  'dropping the database': 'DROP DATABASE :database',
  'deleting the list of migrations': 'DELETE FROM phaseline.migrations',
};

/** Accepted error codes other than 42501 (insufficient privilege). The server may not have the foreign data wrapper. */
const refusals: Record<string, readonly string[]> = { 'a foreign server': ['42501', '42704'] };

/** Grants TEMPORARY as PostgreSQL does by default. The stricter test databases would reject half of the attempts too early. */
async function allowTemporary(): Promise<string> {
  const { rows } = await pools.owner.query<{ name: string }>('SELECT current_database() AS name');
  await pools.owner.query(`GRANT TEMPORARY ON DATABASE "${rows[0]!.name}" TO PUBLIC`);
  return rows[0]!.name;
}

describe('a service cannot change or remove anything in the log:', () => {
  const columnOf = {
    events: 'type',
    streams: 'closed',
    anchors: 'events',
    anchored_heads: 'version',
    audit_keys: 'published_at',
    blobs: 'stored_at',
  };
  const attempts: [string, string][] = Object.entries(columnOf).flatMap(([table, column]) =>
    Object.entries({
      ...writes(table, column),
      ...(table === 'blobs' ? {} : inserts(table)),
      ...alterations(table),
    }).map(([way, statement]): [string, string] => [`${table}, ${way}`, statement]),
  );
  let database: string;
  beforeAll(async () => {
    database = await allowTemporary();
  });

  it.each([...attempts, ...Object.entries(elsewhere)])('%s', async (way, statement) => {
    const text = statement
      .replaceAll(':owner', owner)
      .replaceAll(':superuser', superuser)
      .replaceAll(':database', database);
    const error = await service.query(text).then(
      () => undefined,
      (refused: unknown) => refused,
    );
    await service.query('ROLLBACK');
    expect(refusals[way] ?? ['42501']).toContain((error as { code?: string } | undefined)?.code);
  });

  it('has only the expected rights, including rights on single columns', async () => {
    const { rows } = await service.query<{ table: string; rights: string }>(
      `SELECT t AS table, string_agg(p, ' ' ORDER BY p) AS rights
       FROM unnest($1::text[]) AS t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS p
       WHERE has_any_column_privilege('phaseline.' || t, p) OR has_table_privilege('phaseline.' || t, p)
       GROUP BY t`,
      [protectedTables],
    );
    expect(Object.fromEntries(rows.map(({ table, rights }) => [table, rights]))).toEqual({
      ...Object.fromEntries(protectedTables.map((table) => [table, 'SELECT'])),
      blobs: 'INSERT SELECT',
    });
    const other = await service.query(
      `SELECT t, p FROM unnest($1::text[]) AS t, unnest(ARRAY['DELETE', 'TRUNCATE', 'TRIGGER', 'MAINTAIN']) AS p WHERE has_table_privilege('phaseline.' || t, p)`,
      [protectedTables],
    );
    expect(other.rows).toEqual([]);
  });

  it('is a member of the service group only', async () => {
    const { rows } = await service.query(
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
              (SELECT string_agg(roleid::regrole::text, ' ') FROM pg_auth_members WHERE member = r.oid) AS groups,
              EXISTS (SELECT FROM pg_class WHERE relowner = r.oid AND relnamespace = 'phaseline'::regnamespace) AS owns
       FROM pg_roles AS r WHERE rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        groups: 'phaseline_service',
        owns: false,
      },
    ]);
  });
});

describe('the SECURITY DEFINER functions', () => {
  it('all set their search path', async () => {
    const { rows } = await pools.owner.query<{ name: string; path: string | null }>(
      `SELECT proname AS name, (SELECT s FROM unnest(proconfig) AS s WHERE s LIKE 'search_path=%') AS path
       FROM pg_proc WHERE prosecdef AND pronamespace = 'phaseline'::regnamespace ORDER BY proname`,
    );
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['add_anchor', 'append', 'append_event', 'append_one']),
    );
    for (const { path } of rows) expect(path).toBe('search_path=pg_catalog, pg_temp');
  });

  it('ignore temporary tables that a service creates with the same names', async () => {
    const client = await pools.service.connect();
    try {
      await allowTemporary();
      await client.query(
        `SET search_path = pg_temp, phaseline; CREATE TEMP TABLE streams (stream_id text, version bigint, hash bytea, closed boolean, correlation_id text);
         CREATE TEMP TABLE anchors (number bigint, hash bytea, horizon xid8)`,
      );
      await client.query(`INSERT INTO pg_temp.streams VALUES ('stream', 41, sha256(''), false, 'of-stream')`);
      await client.query(`INSERT INTO pg_temp.anchors VALUES (6, sha256('6'), '3')`);
      await expect(
        new EventStore(pools.service).appendWithin(client, appendTo('stream', { expectedVersion: 41 })),
      ).rejects.toMatchObject({ actual: 2 });
      await client.query('ROLLBACK');
      const { rows } = await client.query(addAnchor({ number: 7, previous: `sha256('6')` }));
      expect(rows).toEqual([{ added: false }]);
    } finally {
      client.release(true);
    }
  });

  it.each([
    ['dropping events as a read model', `SELECT phaseline.drop_read_model('events', 1)`],
    ['creating a read model named events', `SELECT phaseline.create_read_model('events', 1)`],
    ['SQL injection through a name', `SELECT phaseline.create_read_model('jobs"; DROP TABLE phaseline.events; --', 1)`],
    ['activating events as a read model', `SELECT phaseline.activate_read_model('events', 1)`],
    ['collecting blobs that were just stored', `SELECT phaseline.collect_blobs(interval '-1 day', '', 10, false)`],
  ])('cannot be used against the log: %s', async (_, statement) => {
    await expect(pools.service.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^PL0/) as string,
    });
  });

  it('do not overwrite an event when its id or version is appended again', async () => {
    const store = new EventStore(pools.service);
    const [first] = await store.read('stream');
    const other = newEvent({ eventId: first!.eventId, data: { id: 'other' } });
    await expect(store.append(appendTo('other', { events: [other] }))).rejects.toMatchObject({
      code: 'duplicate_event_id',
    });
    await store.append(appendTo('stream', { events: [other] })).catch(() => undefined);
    await expect(store.append(appendTo('stream', { expectedVersion: 0 }))).rejects.toMatchObject({ actual: 2 });
    await expect(store.append(appendTo('closed'))).rejects.toMatchObject({ code: 'stream_closed' });
    expect(await store.read('stream')).toHaveLength(2);
  });

  it.each([
    ['a number that is not the next', { number: 3 }, false],
    ['a wrong hash of the previous anchor', { previous: `sha256('other')` }, false],
    ['a wrong hash', { hash: `sha256('x')` }, 'PL003'],
    ['a horizon above open transactions', { horizon: '9000000000' }, 'PL003'],
    ['a head that is not in the log', { version: 9 }, 'PL003'],
    ['no heads', { heads: false }, 'PL003'],
  ] as const)('reject an invalid anchor: %s', async (_, change, expected) => {
    const attempt = pools.service.query(addAnchor(change));
    if (expected === false) expect((await attempt).rows).toEqual([{ added: false }]);
    else await expect(attempt).rejects.toMatchObject({ code: expected });
  });

  /** Returns a call of add_anchor for the second anchor, valid except for the changes and the signature, which the database cannot check. */
  function addAnchor({
    number = 2,
    previous = `sha256('1')`,
    horizon = '4',
    version = 2,
    hash = '',
    heads = true,
  }: {
    number?: number;
    previous?: string;
    horizon?: string;
    version?: number;
    hash?: string;
    heads?: boolean;
  }): string {
    const time = `'2026-01-01T00:00:00Z'::timestamptz`;
    const validHash = `phaseline.anchor_hash(${number}, ${previous}, ${time}, sha256('key'), '${horizon}', 2, 1, 2, 1, sha256('root'))`;
    const lists = heads
      ? `ARRAY['stream'], ARRAY[${version}]::bigint[], ARRAY[(SELECT hash FROM phaseline.events WHERE stream_id = 'stream' AND version = 2)]`
      : `'{}', '{}', '{}'`;
    return `SELECT phaseline.add_anchor(${number}, ${previous}, ${time}, 'key', '${horizon}', 2, 1, 2, sha256('root'), ${hash || validHash}, decode(repeat('00', 64), 'hex'), ${lists}) AS added`;
  }
});

describe('a blob', () => {
  it('cannot be stored under a wrong hash, even with plain SQL', async () => {
    await expect(
      pools.service.query(`INSERT INTO phaseline.blobs (hash, content) VALUES (sha256('a'), 'b')`),
    ).rejects.toMatchObject({ code: '23514' });
  });
});

describe('the owner of the log', () => {
  const guarded = {
    ...{ events: 'type', anchors: 'events', anchored_heads: 'version', audit_keys: 'published_at' },
    ...{ cold_archives: 'bytes', cold_streams: 'archive' },
  };
  it.each(
    Object.entries(guarded).flatMap(([table, column]) =>
      ['UPDATE', 'UPDATE of nothing', 'DELETE', 'TRUNCATE CASCADE', 'MERGE that updates', 'MERGE that deletes'].map(
        (way): [string, string] => [`${way} in ${table}`, writes(table, column)[way]!],
      ),
    ),
  )('is rejected by a trigger: %s', async (_, statement) => {
    await expect(pools.owner.query(statement)).rejects.toMatchObject({ code: 'PL001' });
  });

  it('is rejected in the replica role as well, because the triggers are ENABLE ALWAYS', async () => {
    const { rows } = await pools.owner.query<{ name: string; enabled: string }>(
      `SELECT tgname AS name, tgenabled AS enabled FROM pg_trigger WHERE tgname LIKE '%_are_append_only' ORDER BY 1`,
    );
    expect(rows).toEqual(
      [
        'anchored_heads',
        'anchors',
        'audit_keys',
        'blob_manifests',
        'blob_marks',
        'blob_pieces',
        'blobs',
        'cold_archives',
        'cold_streams',
        'encrypted_blobs',
        'events',
      ].map((table) => ({ name: `${table}_are_append_only`, enabled: 'A' })),
    );
  });
});

it('a service can append events', async () => {
  const eventId = randomUUID();
  await new EventStore(pools.service).append(appendTo('allowed', { events: [newEvent({ eventId })] }));
  const { rows } = await pools.service.query('SELECT event_id FROM phaseline.events WHERE stream_id = $1', ['allowed']);
  expect(rows).toEqual([{ event_id: eventId }]);
});
