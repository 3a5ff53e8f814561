import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, newEvent, useTestDatabase } from '../testing/store.fixture.js';

const pools = useTestDatabase();
/** A connection with the rights of a service and nothing more, kept for all attempts. */
let service: pg.PoolClient;
let owner: string;
let superuser: string;
let before: string;

beforeAll(async () => {
  const store = new EventStore(pools.service);
  await store.append(appendTo('stream', { events: [newEvent(), newEvent()] }));
  await store.append(appendTo('closed', { closesStream: true }));
  await store.blobs.put(Buffer.from('a blob'));
  // A seal, as far as the database can tell.
  await pools.owner.query(
    `INSERT INTO phaseline.audit_keys (key_id, public_key) VALUES (sha256('key'), 'key');
     INSERT INTO phaseline.seals (number, previous_hash, sealed_at, key_id, horizon, position, streams, events, heads, root, hash, signature)
     VALUES (1, sha256(''), now(), sha256('key'), '3', 2, 1, 2, 1, sha256(''), sha256('1'), '');
     INSERT INTO phaseline.seal_heads (seal, stream_id, version, hash) SELECT 1, stream_id, version, hash FROM phaseline.streams WHERE stream_id = 'stream'`,
  );
  service = await pools.service.connect();
  owner = new URL(pools.database.ownerUrl).username;
  superuser = new URL(inject('testServer').superuserUrl).username;
  before = await fingerprint();
});
afterAll(async () => {
  expect(await fingerprint(), 'nothing of all that changed the log').toBe(before);
  service.release(true);
});

const protectedTables = ['events', 'streams', 'seals', 'seal_heads', 'audit_keys', 'blobs'] as const;

async function fingerprint(): Promise<string> {
  const parts = protectedTables.map(
    (table) =>
      `(SELECT string_agg(t::text, '|' ORDER BY t::text) FROM phaseline.${table} AS t WHERE t::text NOT LIKE '%allowed%')`,
  );
  const { rows } = await pools.owner.query<{ all: string }>(`SELECT concat_ws('||', ${parts.join(', ')}) AS all`);
  return rows[0]!.all;
}

/** Ways to write into a table, whatever it is; `column` is one of its own. */
function writes(table: string, column: string): Record<string, string> {
  const t = `phaseline.${table}`;
  // The size of a blob is computed and cannot be given.
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

/** Ways to put something of its own into a table. Blobs may be added. */
function inserts(table: string): Record<string, string> {
  const t = `phaseline.${table}`;
  return {
    INSERT: `INSERT INTO ${t} DEFAULT VALUES`,
    'INSERT with positions of its own': `INSERT INTO ${t} OVERRIDING SYSTEM VALUE SELECT * FROM ${t}`,
    'COPY FROM': `COPY ${t} FROM STDIN`,
    'MERGE that inserts': `MERGE INTO ${t} AS t USING (SELECT 1) AS s ON false WHEN NOT MATCHED THEN INSERT DEFAULT VALUES`,
  };
}

/** Ways to change what a table is, or what guards it. */
function alterations(table: string): Record<string, string> {
  const t = `phaseline.${table}`;
  const own = `CREATE FUNCTION pg_temp.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;
  return {
    'disabling triggers': `ALTER TABLE ${t} DISABLE TRIGGER ALL`,
    'disabling user triggers': `ALTER TABLE ${t} DISABLE TRIGGER USER`,
    'making a trigger one for replicas': `ALTER TABLE ${t} ENABLE REPLICA TRIGGER ${table}_are_append_only`,
    'dropping the trigger': `DROP TRIGGER IF EXISTS ${table}_are_append_only ON ${t}; DROP TABLE ${t}`,
    'a trigger of its own': `${own}; CREATE TRIGGER mine BEFORE INSERT ON ${t} FOR EACH ROW EXECUTE FUNCTION pg_temp.nothing()`,
    'a rule of its own': `CREATE RULE mine AS ON SELECT TO ${t} DO INSTEAD NOTHING`,
    'dropping it': `DROP TABLE ${t} CASCADE`,
    'renaming it': `ALTER TABLE ${t} RENAME TO other`,
    'moving it': `ALTER TABLE ${t} SET SCHEMA public`,
    'a column more': `ALTER TABLE ${t} ADD COLUMN mine text`,
    'another type of a column': `ALTER TABLE ${t} ALTER COLUMN hash TYPE text`,
    'a table that inherits from it': `CREATE TEMP TABLE child () INHERITS (${t})`,
    'row level security': `ALTER TABLE ${t} ENABLE ROW LEVEL SECURITY`,
    'a policy': `CREATE POLICY mine ON ${t} USING (true)`,
    'an index, whose expression would run as the owner': `CREATE INDEX ON ${t} ((1))`,
    'taking it over': `ALTER TABLE ${t} OWNER TO CURRENT_USER`,
    // The server only warns that it granted nothing.
    'rights granted to itself': `GRANT ALL ON ${t} TO CURRENT_USER; DELETE FROM ${t}`,
    'rights for everybody': `GRANT ALL ON ${t} TO PUBLIC; DELETE FROM ${t}`,
    'clustering it': `CLUSTER ${t} USING ${table}_pkey`,
  };
}

/** Ways that need no table: roles, settings, functions, the server's own catalogues and files. */
const elsewhere: Record<string, string> = {
  'replacing the function that refuses': `CREATE OR REPLACE FUNCTION phaseline.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  'replacing the hash': `CREATE OR REPLACE FUNCTION phaseline.event_hash(bytea, text, bigint, uuid, text, integer, text, text, text, text) RETURNS bytea LANGUAGE sql RETURN ''::bytea`,
  'dropping the function that refuses': 'DROP FUNCTION phaseline.refuse_change CASCADE',
  'another search path for the append': 'ALTER FUNCTION phaseline.append SET search_path = public',
  'an append with the rights of the caller': 'ALTER FUNCTION phaseline.append SECURITY INVOKER',
  'taking the append over': 'ALTER FUNCTION phaseline.append OWNER TO CURRENT_USER',
  'a function of its own in the schema': 'CREATE FUNCTION phaseline.mine() RETURNS integer LANGUAGE sql RETURN 1',
  'a table of its own in the schema': 'CREATE TABLE phaseline.mine (id integer)',
  'a function in the public schema': 'CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql RETURN 1',
  'a schema of its own': 'CREATE SCHEMA mine',
  'dropping the schema': 'DROP SCHEMA phaseline CASCADE',
  'renaming the schema': 'ALTER SCHEMA phaseline RENAME TO other',
  'a function that claims to be the owner': `CREATE FUNCTION pg_temp.mine() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM phaseline.events'; SELECT pg_temp.mine()`,
  'a view, which passes changes on': 'CREATE TEMP VIEW mine AS SELECT * FROM phaseline.events; DELETE FROM mine',
  'the sequence set back': `SELECT setval('phaseline.events_position_seq', 1)`,
  'the sequence altered': 'ALTER SEQUENCE phaseline.events_position_seq RESTART',
  'positions used up': `SELECT nextval('phaseline.events_position_seq')`,
  'the role of a replica': 'SET session_replication_role = replica',
  'the role of a replica through set_config': `SELECT set_config('session_replication_role', 'replica', false)`,
  'the role of a replica for later': 'ALTER ROLE CURRENT_USER SET session_replication_role = replica',
  'changes of system tables': 'SET allow_system_table_mods = on',
  'the setting of the whole server': 'ALTER SYSTEM SET session_replication_role = replica',
  'a trigger switched off in the catalogue': `UPDATE pg_catalog.pg_trigger SET tgenabled = 'D'`,
  'a trigger removed from the catalogue': `DELETE FROM pg_catalog.pg_trigger`,
  'the owner changed in the catalogue': `UPDATE pg_catalog.pg_class SET relowner = 10`,
  'being a superuser': 'ALTER ROLE CURRENT_USER SUPERUSER',
  'making roles': 'ALTER ROLE CURRENT_USER CREATEROLE',
  'a role of its own': 'CREATE ROLE mine SUPERUSER LOGIN',
  'all data': 'GRANT pg_write_all_data TO CURRENT_USER',
  'the rights of the service group, with the right to pass them on':
    'GRANT phaseline_service TO CURRENT_USER WITH ADMIN OPTION',
  'default rights of the owner': 'ALTER DEFAULT PRIVILEGES FOR ROLE :owner GRANT ALL ON TABLES TO PUBLIC',
  'all that belongs to the owner': 'REASSIGN OWNED BY :owner TO CURRENT_USER',
  'dropping all that belongs to the owner': 'DROP OWNED BY :owner CASCADE',
  'the role of the owner': 'SET ROLE :owner',
  'the role of the superuser': 'SET ROLE :superuser',
  'the login of the owner': 'SET SESSION AUTHORIZATION :owner',
  'membership in the owner': 'GRANT :owner TO CURRENT_USER',
  'an event trigger': `CREATE FUNCTION pg_temp.et() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION pg_temp.et()`,
  'a function in C': `CREATE FUNCTION pg_temp.c() RETURNS void LANGUAGE c AS 'x', 'y'`,
  'an internal function under another name': `CREATE FUNCTION pg_temp.i(text) RETURNS void LANGUAGE internal AS 'pg_read_file_all'`,
  'a program of the server': `COPY (SELECT 1) TO PROGRAM 'true'`,
  'a file of the server, written': `COPY (SELECT 1) TO '/tmp/phaseline-never'`,
  'a file of the server, read': `SELECT pg_read_file('postgresql.conf')`,
  'a large object, written to a file': `SELECT lo_export(lo_create(0), '/tmp/phaseline-never')`,
  'a large object, read from a file': `SELECT lo_import('/etc/hostname')`,
  'a foreign server': 'CREATE SERVER mine FOREIGN DATA WRAPPER postgres_fdw',
  'a subscription, which applies changes as a replica': `CREATE SUBSCRIPTION mine CONNECTION 'dbname=x' PUBLICATION y WITH (connect = false)`,
  'a publication': 'CREATE PUBLICATION mine FOR ALL TABLES',
  'a replication slot': `SELECT pg_create_logical_replication_slot('mine', 'pgoutput')`,
  'another database, which is a copy': 'CREATE DATABASE mine TEMPLATE template0',
  'dropping the database': 'DROP DATABASE :database',
  'a list of migrations of its own': 'DELETE FROM phaseline.migrations',
};

/** Insufficient privilege; and for a wrapper that the server does not have, that there is none. */
const refusals: Record<string, readonly string[]> = { 'a foreign server': ['42501', '42704'] };

/** As a server has it unless told otherwise: the test databases are stricter, and then half of the attempts would fail too early. */
async function allowTemporary(): Promise<string> {
  const { rows } = await pools.owner.query<{ name: string }>('SELECT current_database() AS name');
  await pools.owner.query(`GRANT TEMPORARY ON DATABASE "${rows[0]!.name}" TO PUBLIC`);
  return rows[0]!.name;
}

describe('a service cannot change or remove anything of the log:', () => {
  const columnOf = {
    events: 'type',
    streams: 'closed',
    seals: 'events',
    seal_heads: 'version',
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

  it('has no right but these, not even on single columns', async () => {
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

  it('logs in as a member of the service group and of nothing else', async () => {
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

describe('the functions that write for a service', () => {
  it('all run with a search path of their own', async () => {
    const { rows } = await pools.owner.query<{ name: string; path: string | null }>(
      `SELECT proname AS name, (SELECT s FROM unnest(proconfig) AS s WHERE s LIKE 'search_path=%') AS path
       FROM pg_proc WHERE prosecdef AND pronamespace = 'phaseline'::regnamespace ORDER BY proname`,
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['add_seal', 'append', 'append_one']));
    for (const { path } of rows) expect(path).toBe('search_path=pg_catalog, pg_temp');
  });

  it('cannot be made to use a table that the service put in their way', async () => {
    const client = await pools.service.connect();
    try {
      await allowTemporary();
      await client.query(
        `SET search_path = pg_temp, phaseline; CREATE TEMP TABLE streams (stream_id text, version bigint, hash bytea, closed boolean, correlation_id text);
         CREATE TEMP TABLE seals (number bigint, hash bytea, horizon xid8)`,
      );
      await client.query(`INSERT INTO pg_temp.streams VALUES ('stream', 41, sha256(''), false, 'of-stream')`);
      await client.query(`INSERT INTO pg_temp.seals VALUES (6, sha256('6'), '3')`);
      await expect(
        new EventStore(pools.service).appendWithin(client, appendTo('stream', { expectedVersion: 41 })),
      ).rejects.toMatchObject({ actual: 2 });
      await client.query('ROLLBACK');
      const { rows } = await client.query(addSeal({ number: 7, previous: `sha256('6')` }));
      expect(rows).toEqual([{ added: false }]);
    } finally {
      client.release(true);
    }
  });

  it.each([
    ['events dropped as a read model', `SELECT phaseline.drop_read_model('events', 1)`],
    ['a read model over the events', `SELECT phaseline.create_read_model('events', 1)`],
    ['a name that is SQL', `SELECT phaseline.create_read_model('jobs"; DROP TABLE phaseline.events; --', 1)`],
    ['events put in the place of a read model', `SELECT phaseline.activate_read_model('events', 1)`],
    ['blobs collected that were just stored', `SELECT phaseline.collect_blobs(interval '-1 day', '', 10, false)`],
  ])('cannot be aimed at the log: %s', async (_, statement) => {
    await expect(pools.service.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^PL0/) as string,
    });
  });

  it('do not overwrite an event when its id or its version comes again', async () => {
    const store = new EventStore(pools.service);
    const [first] = await store.read('stream');
    const other = newEvent({ eventId: first!.eventId, data: { id: 'other' } });
    await expect(store.append(appendTo('other', { events: [other] }))).rejects.toMatchObject({
      code: 'DUPLICATE_EVENT_ID',
    });
    await store.append(appendTo('stream', { events: [other] })).catch(() => undefined);
    await expect(store.append(appendTo('stream', { expectedVersion: 0 }))).rejects.toMatchObject({ actual: 2 });
    await expect(store.append(appendTo('closed'))).rejects.toMatchObject({ code: 'STREAM_CLOSED' });
    expect(await store.read('stream')).toHaveLength(2);
  });

  it.each([
    ['not the next one', { number: 3 }, false],
    ['one that names another seal before it', { previous: `sha256('other')` }, false],
    ['one whose hash is not its own', { hash: `sha256('x')` }, 'PL003'],
    ['one that reaches into open transactions', { horizon: '9000000000' }, 'PL003'],
    ['one with a head that is not in the log', { version: 9 }, 'PL003'],
    ['one without heads', { heads: false }, 'PL003'],
  ] as const)('take no seal that cannot be right: %s', async (_, change, expected) => {
    const attempt = pools.service.query(addSeal(change));
    if (expected === false) expect((await attempt).rows).toEqual([{ added: false }]);
    else await expect(attempt).rejects.toMatchObject({ code: expected });
  });

  /** A call of add_seal for the second seal, right but for the signature, which the database cannot check, and for the change. */
  function addSeal({
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
    const right = `phaseline.seal_hash(${number}, ${previous}, ${time}, sha256('key'), '${horizon}', 2, 1, 2, 1, sha256('root'))`;
    const lists = heads
      ? `ARRAY['stream'], ARRAY[${version}]::bigint[], ARRAY[(SELECT hash FROM phaseline.events WHERE stream_id = 'stream' AND version = 2)]`
      : `'{}', '{}', '{}'`;
    return `SELECT phaseline.add_seal(${number}, ${previous}, ${time}, 'key', '${horizon}', 2, 1, 2, sha256('root'), ${hash || right}, decode(repeat('00', 64), 'hex'), ${lists}) AS added`;
  }
});

describe('a blob', () => {
  it('cannot be stored under a name that is not its hash, not even by hand', async () => {
    await expect(
      pools.service.query(`INSERT INTO phaseline.blobs (hash, content) VALUES (sha256('a'), 'b')`),
    ).rejects.toMatchObject({ code: '23514' });
  });
});

describe('the owner of the log', () => {
  const guarded = { events: 'type', seals: 'events', seal_heads: 'version', audit_keys: 'published_at' };
  it.each(
    Object.entries(guarded).flatMap(([table, column]) =>
      ['UPDATE', 'UPDATE of nothing', 'DELETE', 'TRUNCATE CASCADE', 'MERGE that updates', 'MERGE that deletes'].map(
        (way): [string, string] => [`${way} in ${table}`, writes(table, column)[way]!],
      ),
    ),
  )('is refused as well, by a trigger: %s', async (_, statement) => {
    await expect(pools.owner.query(statement)).rejects.toMatchObject({ code: 'PL001' });
  });

  it('is refused also as a replica would be (the triggers fire always)', async () => {
    const { rows } = await pools.owner.query<{ name: string; enabled: string }>(
      `SELECT tgname AS name, tgenabled AS enabled FROM pg_trigger WHERE tgname LIKE '%_are_append_only' ORDER BY 1`,
    );
    expect(rows).toEqual(
      [
        'audit_keys',
        'blob_manifests',
        'blob_marks',
        'blob_pieces',
        'blobs',
        'events',
        'seal_heads',
        'sealed_blobs',
        'seals',
      ].map((table) => ({ name: `${table}_are_append_only`, enabled: 'A' })),
    );
  });
});

it('an id of its own is all that a service can add', async () => {
  const eventId = randomUUID();
  await new EventStore(pools.service).append(appendTo('allowed', { events: [newEvent({ eventId })] }));
  const { rows } = await pools.service.query('SELECT event_id FROM phaseline.events WHERE stream_id = $1', ['allowed']);
  expect(rows).toEqual([{ event_id: eventId }]);
});
