import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import type { ChainProblem } from './chain-problem.js';
import { verifyChain } from './verify-chain.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(async () => {
  store = new EventStore(pools.service);
  await pools.owner.query('CREATE TABLE phaseline.events_before AS SELECT * FROM phaseline.events WITH NO DATA');
});

/** Runs statements with the triggers disabled, as a malicious administrator could. */
async function tamper(...statements: string[]): Promise<void> {
  await pools.owner.query(
    `ALTER TABLE phaseline.events DISABLE TRIGGER ALL; ${statements.join(';')}; ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER events_are_append_only`,
  );
}

/** Returns a statement that inserts a forged event with a free position. */
const insertInto = (streamId: string, version: number): string =>
  `INSERT INTO phaseline.events (position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type, correlation_id, hash, data, metadata)
   OVERRIDING SYSTEM VALUE SELECT nextval('phaseline.events_position_seq'), ${version}, pg_current_xact_id(), now(), gen_random_uuid(), 1, stream_id, 'Forged', correlation_id, sha256('x'), '{}', '{}'
   FROM phaseline.streams WHERE stream_id = '${streamId}'`;

beforeEach(async () => {
  for (const streamId of ['a', 'm', 'z']) {
    for (let version = 0; version < 5; version += 1) {
      await store.append(
        appendTo(streamId, {
          expectedVersion: version,
          events: [newEvent({ data: { version, text: 'größer als nichts' } })],
        }),
      );
    }
  }
});
afterEach(async () => {
  await tamper('TRUNCATE phaseline.events', 'TRUNCATE phaseline.streams');
});

const findProblems = async (options = {}): Promise<Pick<ChainProblem, 'kind' | 'streamId' | 'version'>[]> =>
  (await verifyChain(pools.service, options)).problems.map(({ kind, streamId, version }) => ({
    kind,
    streamId,
    version,
  }));

describe('verifyChain', () => {
  it('reports no problems for appended events', async () => {
    expect(await verifyChain(pools.service)).toEqual({
      events: 15,
      coldEvents: 0,
      streams: 3,
      problems: [],
      problemCount: 0,
    });
  });

  it('hashes the stored bytes of unusual values', async () => {
    const unusual = { text: `größer ${'x'.repeat(200_000)} \u{1f600}`, nested: [[{}], null, 1e21, -0.5], '': '"\\' };
    await store.append(
      appendTo('odd', { events: [newEvent({ data: unusual }), newEvent({ data: {}, metadata: unusual })] }),
    );
    expect(await verifyChain(pools.service)).toMatchObject({ events: 17, problems: [] });
  });

  it('reports a single changed byte in data as one problem', async () => {
    await tamper(
      `UPDATE phaseline.events SET data = replace(data::text, 'größer', 'größes')::json WHERE stream_id = 'm' AND version = 3`,
    );
    expect(await findProblems()).toEqual([{ kind: 'altered', streamId: 'm', version: 3 }]);
  });

  it.each([
    ['metadata', `metadata = '{}'`],
    ['insignificant whitespace in the JSON', `data = (data::text || ' ')::json`],
    ['the type', `type = 'TodoFailed'`],
    ['the schema version', 'schema_version = 2'],
    ['the event id', 'event_id = uuidv7()'],
    ['a microsecond', `recorded_at = recorded_at + interval '1 microsecond'`],
    ['the correlation', `correlation_id = 'x'`],
    ['the hash', `hash = sha256('x')`],
  ])('reports a change of %s', async (_, change) => {
    await tamper(`UPDATE phaseline.events SET ${change} WHERE stream_id = 'a' AND version = 2`);
    expect(await findProblems()).toContainEqual({ kind: 'altered', streamId: 'a', version: 2 });
  });

  it('reports an event that was altered together with its hash', async () => {
    await tamper(`UPDATE phaseline.events e SET data = '{}', hash = phaseline.event_hash(
      (SELECT hash FROM phaseline.events p WHERE p.stream_id = 'a' AND p.version = 2), stream_id, version, event_id, type, schema_version,
      to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), correlation_id, '{}', metadata::text) WHERE stream_id = 'a' AND version = 3`);
    expect(await findProblems()).toEqual([{ kind: 'altered', streamId: 'a', version: 4 }]);
  });

  it('reports a removed event', async () => {
    await tamper(`DELETE FROM phaseline.events WHERE stream_id = 'm' AND version = 2`);
    expect(await findProblems()).toEqual([{ kind: 'missing', streamId: 'm', version: 2 }]);
  });

  it('reports a removed beginning', async () => {
    await tamper(`DELETE FROM phaseline.events WHERE stream_id = 'm' AND version <= 2`);
    const { problems } = await verifyChain(pools.service);
    expect(problems).toMatchObject([
      { kind: 'missing', streamId: 'm', version: 1, detail: 'versions 1 to 2 are missing' },
    ]);
  });

  it.each([
    [3, 4],
    [1, 5],
    [2, 4],
  ])('reports swapped versions %i and %i as one problem', async (first, second) => {
    await tamper(
      `UPDATE phaseline.events SET version = -version WHERE stream_id = 'm' AND version IN (${first}, ${second})`,
      `UPDATE phaseline.events SET version = ${first + second} + version WHERE stream_id = 'm' AND version < 0`,
    );
    expect(await findProblems()).toEqual([{ kind: 'swapped', streamId: 'm', version: first }]);
  });

  it('reports two events whose contents and ids were swapped', async () => {
    await tamper(
      `CREATE TEMP TABLE kept AS SELECT * FROM phaseline.events WHERE stream_id = 'm' AND version IN (2, 4)`,
      `UPDATE phaseline.events SET event_id = gen_random_uuid() WHERE stream_id = 'm' AND version IN (2, 4)`,
      `UPDATE phaseline.events e SET data = k.data, event_id = k.event_id, recorded_at = k.recorded_at FROM kept k
       WHERE e.stream_id = 'm' AND k.version = 6 - e.version AND e.version IN (2, 4)`,
      'DROP TABLE kept',
    );
    expect(await findProblems()).toEqual([{ kind: 'swapped', streamId: 'm', version: 2 }]);
  });

  it.each([
    ['in the middle, with later events renumbered', 3],
    ['at the beginning', 1],
  ])('reports an event inserted %s', async (_, at) => {
    await tamper(
      `UPDATE phaseline.events SET version = -version - 1 WHERE stream_id = 'm' AND version >= ${at}`,
      `UPDATE phaseline.events SET version = -version WHERE stream_id = 'm' AND version < 0`,
      insertInto('m', at),
      `UPDATE phaseline.streams SET version = 6 WHERE stream_id = 'm'`,
    );
    expect(await findProblems()).toEqual([{ kind: 'inserted', streamId: 'm', version: at }]);
  });

  it('reports an event added after the last one', async () => {
    await tamper(insertInto('m', 6));
    expect(await findProblems()).toContainEqual({ kind: 'altered', streamId: 'm', version: 6 });
    await tamper(`UPDATE phaseline.events SET hash = phaseline.event_hash(
      (SELECT hash FROM phaseline.events p WHERE p.stream_id = 'm' AND p.version = 5), stream_id, version, event_id, type, schema_version,
      to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), correlation_id, data::text, metadata::text)
      WHERE stream_id = 'm' AND version = 6`);
    expect(await findProblems()).toEqual([{ kind: 'inserted', streamId: 'm', version: 6 }]);
  });

  it('reports removed events when later ones were renumbered', async () => {
    await tamper(
      `DELETE FROM phaseline.events WHERE stream_id = 'm' AND version IN (2, 3)`,
      `UPDATE phaseline.events SET version = version - 2 WHERE stream_id = 'm' AND version = 4`,
      `UPDATE phaseline.events SET version = version - 2 WHERE stream_id = 'm' AND version = 5`,
    );
    expect(await verifyChain(pools.service)).toMatchObject({
      problems: [{ kind: 'missing', version: 2, detail: expect.stringContaining('versions 2 to 3') as string }],
    });
  });

  it('reports a truncated stream', async () => {
    await tamper(`DELETE FROM phaseline.events WHERE stream_id = 'z' AND version > 3`);
    expect(await findProblems()).toEqual([{ kind: 'truncated', streamId: 'z', version: 3 }]);
  });

  it('reports a removed stream and a removed head', async () => {
    await tamper(
      `DELETE FROM phaseline.events WHERE stream_id = 'a'`,
      `DELETE FROM phaseline.streams WHERE stream_id = 'z'`,
    );
    expect(await verifyChain(pools.service)).toMatchObject({
      problems: [
        { kind: 'truncated', streamId: 'a', version: 0 },
        { kind: 'head-mismatch', streamId: 'z', version: 5 },
      ],
    });
  });

  it('reports a head with a changed hash', async () => {
    await tamper(`UPDATE phaseline.streams SET hash = sha256('x') WHERE stream_id = 'm'`);
    expect(await findProblems()).toEqual([{ kind: 'head-mismatch', streamId: 'm', version: 5 }]);
  });

  it('verifies a single correlation', async () => {
    await tamper(`UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'm' AND version = 1`);
    expect(await verifyChain(pools.service, { correlationId: 'of-a' })).toMatchObject({
      events: 5,
      streams: 1,
      problems: [],
    });
    expect(await findProblems({ correlationId: 'of-m' })).toEqual([{ kind: 'altered', streamId: 'm', version: 1 }]);
  });

  it('reports progress and problems as it runs, and can be aborted', async () => {
    await tamper(`UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'm' AND version = 1`);
    const seen: number[] = [];
    const problems: ChainProblem[] = [];
    await verifyChain(pools.service, {
      progressEvery: 4,
      onProgress: ({ events }) => seen.push(events),
      onProblem: (problem) => problems.push(problem),
    });
    expect(seen).toEqual([4, 8, 12, 15]);
    expect(problems).toHaveLength(1);
    await expect(verifyChain(pools.service, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
  });

  it('is not affected by concurrent appends', async () => {
    let writing = true;
    const writer = (async () => {
      while (writing) await store.append(appendTo('busy'));
    })();
    for (let round = 0; round < 10; round += 1) expect(await findProblems()).toEqual([]);
    writing = false;
    await writer;
  });
});
