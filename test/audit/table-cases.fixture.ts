import {
  columns,
  insertEventSql,
  LIMITS,
  recomputeHashesSql,
  set,
  where,
  type Cases,
  type LogCase,
} from './tampering-case.fixture.js';

const encryptedJob = '019a8f00-0000-8000-8000-00000000000a';

/** Complete tables, and their triggers and functions. */
export const tableCases: Cases<LogCase> = {
  events: [
    // Complete tables.
    {
      name: 'the events emptied',
      sql: ['TRUNCATE phaseline.events'],
      online: ['a 0 truncated', 'job-done 0 truncated', 'm 0 truncated'],
      doctor: ['anchors'],
    },
    {
      name: 'the table replaced by a copy with a change',
      sql: [
        'ALTER TABLE phaseline.events RENAME TO events_before',
        'CREATE TABLE phaseline.events (LIKE phaseline.events_before INCLUDING ALL)',
        'INSERT INTO phaseline.events OVERRIDING SYSTEM VALUE SELECT * FROM phaseline.events_before',
        set(`data = '{}'`, 2),
        'GRANT SELECT ON phaseline.events TO phaseline_service',
        'CREATE TRIGGER events_are_append_only BEFORE UPDATE ON phaseline.events EXECUTE FUNCTION phaseline.refuse_change()',
      ],
      online: ['m 2 altered'],
    },
    {
      name: 'an event stored twice',
      sql: [
        'ALTER TABLE phaseline.events DROP CONSTRAINT events_pkey',
        'DROP INDEX phaseline.events_event_id',
        `INSERT INTO phaseline.events (${columns}) OVERRIDING SYSTEM VALUE
       SELECT nextval('phaseline.events_position_seq'), version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
         correlation_id, hash, data, metadata FROM phaseline.events ${where(2)}`,
      ],
      online: ['m 2 inserted'],
    },
    {
      name: 'an event without data',
      sql: ['ALTER TABLE phaseline.events ALTER COLUMN data DROP NOT NULL', set('data = NULL', 2)],
      online: ['m 2 altered'],
    },
    {
      name: 'an event without a hash',
      sql: ['ALTER TABLE phaseline.events ALTER COLUMN hash DROP NOT NULL', set('hash = NULL', 2)],
      online: ['m 2 altered'],
    },
    {
      name: 'the sequence of positions reset',
      tamper: async (log) => {
        await log.superuser.query('ALTER SEQUENCE phaseline.events_position_seq RESTART WITH 1');
        await log.superuser.query('DROP INDEX phaseline.events_correlation');
        await log.append('m', 1);
      },
      online: ['m 5 out-of-order'],
    },
    {
      name: 'an event with an old transaction id, and a head for an anchor that does not exist',
      sql: [
        insertEventSql('m', 5, { transaction: `'3'` }),
        recomputeHashesSql('m', 5),
        'ALTER TABLE phaseline.anchored_heads DROP CONSTRAINT anchored_heads_anchor_fkey',
        `INSERT INTO phaseline.anchored_heads SELECT 99, stream_id, version, hash FROM phaseline.streams WHERE stream_id = 'm'`,
      ],
      online: ['anchor 99 anchor-missing'],
    },
    {
      name: 'an event after the end of a job, allowed by a replaced function',
      tamper: async (log) => {
        await log.superuser.query(
          `CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
         LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN true`,
        );
        await log.appendTypes('job-done', ['JobFailed', 'JobCompleted'], { reopens: true });
        await log.anchorAll();
      },
      online: ['job-done 3 after-end'],
    },
    {
      name: 'the triggers of the events disabled',
      tamper: async (log) => {
        await log.superuser.query('ALTER TABLE phaseline.events DISABLE TRIGGER ALL');
      },
      online: [],
      doctor: ['rights'],
      limit: LIMITS.functions,
    },
    {
      name: 'the triggers of the events disabled for replication',
      tamper: async (log) => {
        await log.superuser.query('ALTER TABLE phaseline.events ENABLE TRIGGER events_are_append_only');
      },
      online: [],
      doctor: ['rights'],
      limit: LIMITS.functions,
    },
    {
      name: 'a trigger that drops new events',
      tamper: async (log) => {
        await log.superuser.query(
          `CREATE FUNCTION phaseline.swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER swallow BEFORE INSERT ON phaseline.events FOR EACH ROW EXECUTE FUNCTION phaseline.swallow()`,
        );
        await log.append('m', 1);
      },
      online: ['m 4 truncated'],
      doctor: ['rights'],
    },
    {
      name: 'a trigger that changes new events',
      tamper: async (log) => {
        await log.superuser.query(
          `CREATE FUNCTION phaseline.change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := '{}'; RETURN NEW; END $$;
         CREATE TRIGGER change BEFORE INSERT ON phaseline.events FOR EACH ROW EXECUTE FUNCTION phaseline.change()`,
        );
        await log.append('m', 1);
      },
      online: ['m 5 altered'],
      doctor: ['rights'],
    },
    {
      name: 'new events replaced by others, with all their hashes',
      tamper: async (log) => {
        await log.appendTypes('forged', ['TodoCompleted']);
        await log.tamper(
          `UPDATE phaseline.events SET type = 'TodoFailed' WHERE stream_id = 'forged'`,
          recomputeHashesSql('forged'),
        );
        await log.anchorAll();
      },
      online: [],
      limit: LIMITS.functions,
    },
    {
      name: 'rows hidden from the services by row security',
      sql: [
        'ALTER TABLE phaseline.events ENABLE ROW LEVEL SECURITY',
        `CREATE POLICY hide ON phaseline.events USING (NOT (stream_id = 'm' AND version = 2))`,
      ],
      online: ['m 2 missing'],
      doctor: ['rights'],
    },
    {
      name: 'different rows for readers than for the audit',
      tamper: async (log) => {
        await log.superuser.query(
          `ALTER TABLE phaseline.events RENAME TO events_stored;
         CREATE VIEW phaseline.events AS SELECT position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
         correlation_id, hash, CASE WHEN current_setting('application_name') = 'phaseline-orchestrator' THEN '{}' ELSE data END AS data, metadata
       FROM phaseline.events_stored;
         GRANT SELECT ON phaseline.events TO phaseline_service`,
        );
      },
      online: [],
      doctor: ['rights'],
      limit: LIMITS.readers,
    },
    {
      name: 'a transaction id in the far future, which no anchor will cover',
      sql: [`UPDATE phaseline.events SET transaction_id = '9000000000000000' WHERE stream_id = 'a' AND version = 3`],
      online: [],
      limit: LIMITS.order,
    },
  ],
  streams: [
    {
      name: 'the heads of all streams emptied',
      sql: ['TRUNCATE phaseline.streams'],
      online: ['a 3 head-mismatch', 'job-done 2 head-mismatch', 'm 4 head-mismatch'],
    },
    {
      name: 'a head stored twice, once correctly',
      sql: [
        'ALTER TABLE phaseline.streams DROP CONSTRAINT streams_pkey',
        `INSERT INTO phaseline.streams SELECT stream_id, version, sha256('x'), correlation_id, closed, updated_at FROM phaseline.streams WHERE stream_id = 'm'`,
      ],
      online: ['m 0 head-mismatch'],
      offline: [],
    },
    {
      name: 'a snapshot with the wrong state',
      sql: [
        `INSERT INTO phaseline.snapshots (stream_id, version, fold_version, hash, state) VALUES ('m', 2, 'x', sha256('x'), '{}')`,
      ],
      online: [],
      doctor: ['snapshots'],
      limit: LIMITS.derived,
    },
  ],
  blobs: [
    // Files as a whole.
    {
      name: 'all content removed',
      sql: ['TRUNCATE phaseline.blobs CASCADE'],
      online: ['job-done 1 file-missing'],
      doctor: ['files'],
    },
    {
      name: 'the triggers of the blobs disabled',
      tamper: async (log) => {
        await log.superuser.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
      },
      online: [],
      doctor: ['rights'],
      limit: LIMITS.functions,
    },
    {
      name: 'a file of an encrypted job',
      sql: [
        `INSERT INTO phaseline.job_keys (correlation_id, wrapped, master_key_id) VALUES ('${encryptedJob}', decode(repeat('00', 60), 'hex'), '0000000000000000')`,
        `INSERT INTO phaseline.encrypted_blobs (correlation_id, name, content) VALUES ('${encryptedJob}', sha256('x'), 'forged')`,
      ],
      online: [],
      limit: LIMITS.encrypted,
    },
  ],
  manifests: [
    {
      name: 'the triggers of the lists of pieces removed',
      tamper: async (log) => {
        await log.superuser.query('DROP TRIGGER blob_pieces_are_append_only ON phaseline.blob_pieces');
      },
      online: [],
      doctor: ['rights'],
      limit: LIMITS.functions,
    },
  ],
};
