import { beforeAll, describe, expect, it } from 'vitest';
import { InvalidAppend } from '../append/append-errors.js';
import { verifyChain } from '../chain/verify-chain.js';
import { EventStore } from '../event-store.js';
import { appendTo, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { MasterKeys } from './master-keys.js';
import { rewrapKeys } from './rewrap-keys.js';
import { ENCRYPTED_DATA_KEY } from './encrypt-unit.js';
import { isEncryptedCorrelation } from './encrypted-correlation.js';
import { MasterKeyMissing, DecryptionFailed } from './encryption-errors.js';
import {
  createEncryptedAppend,
  createCountingPool,
  masterKey,
  createEncryptedId,
  createEncryptedStore,
} from '../testing/encrypted.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = createEncryptedStore(pools.service);
});

const rowsOf = async (id: string): Promise<string> =>
  (
    await pools.owner.query<{ t: string }>('SELECT t::text AS t FROM phaseline.events AS t WHERE correlation_id = $1', [
      id,
    ])
  ).rows
    .map(({ t }) => t)
    .join('\n');

describe('an event of an encrypted correlation', () => {
  it('is stored redacted and read with its content', async () => {
    const id = createEncryptedId();
    const data = { text: 'confidential – "ü" 🙂 \\u0000', count: 3 };
    await store.append(createEncryptedAppend(id, [{ data, metadata: { actor: 'spec' } }]));
    expect(await rowsOf(id)).not.toContain('confidential');
    const [event] = await store.read(`stream-${id}`);
    expect(event).toMatchObject({ data, metadata: { actor: 'spec' } });
    expect(event!.metadata).not.toHaveProperty([ENCRYPTED_DATA_KEY]);
    // Lists return the redacted form.
    expect((await store.readCorrelation(id))[0]!.data).toEqual({ text: '-', count: 3 });
    expect((await store.readCorrelation(id, { texts: 'whole' }))[0]!.data).toEqual(data);
    expect((await store.readAt(`stream-${id}`, 1))!.data).toEqual(data);
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
  });

  it('with a long ciphertext stores it as a blob', async () => {
    const id = createEncryptedId();
    const data = { text: 'very confidential '.repeat(5_000), count: 1 };
    await store.append(createEncryptedAppend(id, [{ data }]));
    expect((await rowsOf(id)).length).toBeLessThan(2_000);
    expect((await store.read(`stream-${id}`))[0]!.data).toEqual(data);
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
  });

  it('without content to redact needs no key', async () => {
    const id = createEncryptedId();
    const keyless = new EventStore(pools.service, {
      encryption: { masterKeys: MasterKeys.none, redact: (_type, data) => data },
    });
    await keyless.append(createEncryptedAppend(id, [{ type: 'Open', data: { text: 'public' } }]));
    expect((await keyless.read(`stream-${id}`))[0]!.data).toEqual({ text: 'public' });
  });

  it('returns alreadyDone if appended again, although its ciphertext differs', async () => {
    const id = createEncryptedId();
    const append = createEncryptedAppend(id, [{ data: { text: 'once' } }]);
    await store.append(append);
    expect((await store.append(append))[0]).toMatchObject({ alreadyDone: true, version: 1 });
  });

  it('is encrypted in a transaction of the caller as well', async () => {
    const id = createEncryptedId();
    const client = await pools.service.connect();
    try {
      await client.query('BEGIN');
      await store.appendWithin(client, createEncryptedAppend(id, [{ data: { text: 'confidential' } }]));
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    expect(await rowsOf(id)).not.toContain('confidential');
    expect((await store.read(`stream-${id}`))[0]!.data).toEqual({ text: 'confidential' });
  });

  it('cannot be decrypted if it was changed or replaced by another one', async () => {
    const id = createEncryptedId();
    await store.append(createEncryptedAppend(id, [{ data: { text: 'one' } }, { data: { text: 'two' } }]));
    const change = async (version: number, encrypted: string): Promise<void> => {
      await pools.owner.query('ALTER TABLE phaseline.events DISABLE TRIGGER events_are_append_only');
      await pools.owner.query(
        `UPDATE phaseline.events SET metadata = json_build_object('$encrypted', $3::text) WHERE stream_id = $1 AND version = $2`,
        [`stream-${id}`, version, encrypted],
      );
      await pools.owner.query('ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER events_are_append_only');
    };
    const [first, second] = (await store.read(`stream-${id}`, { texts: 'preview' })).map(
      ({ metadata }) => metadata[ENCRYPTED_DATA_KEY] as string,
    );
    await change(2, first!);
    await expect(store.readAt(`stream-${id}`, 2)).rejects.toThrow(DecryptionFailed);
    const flipped = Buffer.from(second!, 'base64');
    flipped[20]! ^= 1;
    await change(2, flipped.toString('base64'));
    await expect(store.readAt(`stream-${id}`, 2)).rejects.toThrow(/event 2 of stream/);
    await change(2, second!);
    expect((await store.readAt(`stream-${id}`, 2))!.data).toEqual({ text: 'two' });
  });

  it('cannot be forged by a caller or share an append with another correlation', async () => {
    const forged = newEvent({ metadata: { [ENCRYPTED_DATA_KEY]: 'abc' } });
    await expect(store.append(appendTo(createStreamId(), { events: [forged] }))).rejects.toThrow(InvalidAppend);
    const mixed = [createEncryptedAppend(createEncryptedId(), [{ data: { text: 'x' } }]), appendTo(createStreamId())];
    await expect(store.append(mixed)).rejects.toThrow(/must not contain other correlations/);
  });
});

describe('master keys', () => {
  it('without the right one nothing is written in plain text, and the error says what to do', async () => {
    const id = createEncryptedId();
    for (const wrong of [
      new EventStore(pools.service),
      new EventStore(pools.service, { encryption: { masterKeys: MasterKeys.none, redact: () => ({}) } }),
    ]) {
      const error = await wrong
        .append(createEncryptedAppend(id, [{ data: { text: 'x' } }]))
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(MasterKeyMissing);
      expect((error as Error).message).toContain('PHASELINE_MASTER_KEY_FILE');
    }
    expect(await rowsOf(id)).toBe('');
  });

  it('without the right one reading throws instead of returning the redacted form', async () => {
    const id = createEncryptedId();
    await store.append(createEncryptedAppend(id, [{ data: { text: 'x' } }]));
    const other = createEncryptedStore(pools.service, MasterKeys.generate());
    await expect(other.read(`stream-${id}`)).rejects.toThrow(
      /the master key [0-9a-f]{16}, which this process does not/,
    );
  });

  it('after rotation, old events can still be decrypted, and new jobs use the new master key', async () => {
    const [before, after] = [createEncryptedId(), createEncryptedId()];
    await store.append(createEncryptedAppend(before, [{ data: { text: 'before' } }]));
    const fresh = MasterKeys.generate();
    const rotated = createEncryptedStore(pools.service, `# newest first\n${fresh}\n${masterKey}\n`);
    await rotated.append(createEncryptedAppend(after, [{ data: { text: 'after' } }]));
    expect((await rotated.read(`stream-${before}`))[0]!.data).toEqual({ text: 'before' });
    const onlyNew = createEncryptedStore(pools.service, fresh);
    expect((await onlyNew.read(`stream-${after}`))[0]!.data).toEqual({ text: 'after' });
    await expect(onlyNew.read(`stream-${before}`)).rejects.toThrow(MasterKeyMissing);
  });
});

it('rewrapped keys need only the new master key, and erased keys stay erased', async () => {
  const fresh = MasterKeys.generate();
  const [id, gone] = [createEncryptedId(), createEncryptedId()];
  for (const job of [id, gone]) await store.append(createEncryptedAppend(job, [{ data: { text: job } }]));
  await store.erase(gone, undefined);
  const foreign = MasterKeys.parse(MasterKeys.generate());
  await createEncryptedStore(pools.service, masterKey).append(
    createEncryptedAppend(createEncryptedId(), [{ data: { text: 'x' } }]),
  );
  const own = MasterKeys.parse(masterKey).ids[0]!;
  const withoutKey = await rewrapKeys(pools.service, foreign);
  expect(withoutKey.rewrapped).toBe(0);
  expect(withoutKey.skippedByMasterKey[own]).toBeGreaterThan(1);
  const done = await rewrapKeys(pools.service, MasterKeys.parse(`${fresh},${masterKey}`));
  expect(done.rewrapped).toBeGreaterThan(1);
  expect((await createEncryptedStore(pools.service, fresh).read(`stream-${id}`))[0]!.data).toEqual({ text: id });
  await expect(createEncryptedStore(pools.service, masterKey).read(`stream-${id}`)).rejects.toThrow(MasterKeyMissing);
  expect((await createEncryptedStore(pools.service, fresh).read(`stream-${gone}`))[0]!.data).toEqual({ text: '-' });
  expect((await rewrapKeys(pools.service, MasterKeys.parse(`${fresh},${masterKey}`))).rewrapped).toBe(0);
});

it('processes that write to a new job concurrently use one key', async () => {
  const id = createEncryptedId();
  const stores = Array.from({ length: 8 }, () => createEncryptedStore(pools.service));
  await Promise.all(
    stores.map((one, index) => one.append(createEncryptedAppend(id, [{ data: { text: `of ${index}` } }]))),
  );
  const texts = (await store.read(`stream-${id}`)).map(({ data }) => data['text']);
  expect(texts.sort()).toEqual(stores.map((_, index) => `of ${index}`));
});

it('needs no additional query for correlations that are not encrypted, and an occasional key query for others', async () => {
  const { pool, queries } = createCountingPool(pools.service);
  const caching = createEncryptedStore(pool);
  const uncached = createEncryptedStore(pool, masterKey, 0);
  const countQueries = async (action: () => Promise<unknown>): Promise<number> => {
    const before = queries();
    await action();
    return queries() - before;
  };
  const plain = createStreamId();
  expect(await countQueries(() => caching.append(appendTo(plain)))).toBe(1);
  expect(await countQueries(() => caching.read(plain))).toBe(1);
  const id = createEncryptedId();
  const countAppendQueries = (subject: EventStore) =>
    countQueries(() => subject.append(createEncryptedAppend(id, [{ data: { text: 'x' } }])));
  expect(await countAppendQueries(caching)).toBe(2);
  expect(await countAppendQueries(caching)).toBe(1);
  expect(await countQueries(() => caching.read(`stream-${id}`))).toBe(1);
  expect(await countAppendQueries(uncached)).toBe(2);
  expect(await countQueries(() => uncached.read(`stream-${id}`))).toBe(2);
});

it('the database identifies encrypted correlations as the code does', async () => {
  const ids = [
    createEncryptedId(),
    createEncryptedId().toUpperCase(),
    `job-${createEncryptedId()}`,
    '018f3a52-7c1e-4000-8000-000000000001',
    '',
    'x',
  ];
  const { rows } = await pools.service.query<{ encrypted: boolean }>(
    'SELECT phaseline.is_encrypted_job(id) AS encrypted FROM unnest($1::text[]) WITH ORDINALITY AS t(id, n) ORDER BY n',
    [ids],
  );
  expect(rows.map(({ encrypted }) => encrypted)).toEqual(ids.map(isEncryptedCorrelation));
});
