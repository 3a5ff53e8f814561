import type pg from 'pg';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { LARGE_TEXT_CHARACTERS } from '../large-text/large-text.js';
import { EventStore } from '../event-store.js';
import { createEncryptedAppend, createEncryptedId, createEncryptedStore } from '../testing/encrypted.fixture.js';
import { appendTo, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import type { EventContent } from './page-reader.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = new EventStore(pools.service);
});

async function readPages(from: EventStore, ...args: Parameters<EventStore['iteratePages']>) {
  const pages: (readonly EventContent[])[] = [];
  for await (const page of from.iteratePages(...args)) pages.push(page);
  return pages;
}

/** What pages contain of the events that `read` returns. */
async function readContents(from: EventStore, streamId: string): Promise<EventContent[]> {
  return (await from.read(streamId)).map(({ version, type, schemaVersion, data }) => ({
    ...{ streamId, version, type, schemaVersion, data },
  }));
}

/** Collects the number of rows and the columns of each query that is made from now on. */
function watchQueries(): () => Promise<(readonly [rows: number, columns: string])[]> {
  const query = vi.spyOn(pools.service, 'query');
  onTestFinished(() => query.mockRestore());
  return async () => {
    // The spy passes every call on; its declared results are those of the last overload.
    const results = (await Promise.all(query.mock.results.map(({ value }) => value as unknown))) as pg.QueryResult[];
    return results.map(({ rows, fields }) => [rows.length, fields.map(({ name }) => name).join(' ')]);
  };
}

const CONTENT = 'version type schema_version data metadata';

it('reads a thousand events per query, and only the columns that folds need', async () => {
  const events = Array.from({ length: 2_100 }, (_, id) => newEvent({ data: { id } }));
  await store.append(appendTo('long', { events }));
  const contents = await readContents(store, 'long');
  const listQueries = watchQueries();
  const pages = await readPages(store, 'long');
  expect(pages.map((page) => page.length)).toEqual([1_000, 1_000, 100]);
  expect(pages.flat()).toEqual(contents);
  expect(await listQueries()).toEqual([
    [1_000, CONTENT],
    [1_000, CONTENT],
    [100, CONTENT],
  ]);
});

it('reads a part of a stream, and nothing of a stream that does not exist', async () => {
  const versionsOf = async (options: Parameters<EventStore['iteratePages']>[1]): Promise<number[]> =>
    (await readPages(store, 'part', options)).flat().map(({ version }) => version);
  await store.append(appendTo('part', { events: [newEvent(), newEvent(), newEvent()] }));
  expect(await versionsOf({ to: 2 })).toEqual([1, 2]);
  expect(await versionsOf({ from: 2 })).toEqual([2, 3]);
  expect(await readPages(store, 'nowhere')).toEqual([]);
});

it('ends without an unhandled error if the caller needs no further page', async () => {
  await store.append(appendTo('stopped', { events: Array.from({ length: 1_001 }, () => newEvent()) }));
  for await (const page of store.iteratePages('stopped')) {
    expect(page).toHaveLength(1_000);
    break;
  }
});

it('restores the large texts of a page with one query', async () => {
  const long = (letter: string): string => letter.repeat(LARGE_TEXT_CHARACTERS + 1);
  const events = ['a', 'short', 'b'].map((text) => newEvent({ data: { text: text.length === 1 ? long(text) : text } }));
  await store.append(appendTo('texts', { events }));
  const listQueries = watchQueries();
  const [page] = await readPages(store, 'texts');
  expect(page!.map(({ data }) => data)).toEqual(events.map(({ data }) => data));
  expect(await listQueries()).toHaveLength(2);
});

it('decrypts the events of an encrypted job', async () => {
  const encrypted = createEncryptedStore(pools.service);
  const id = createEncryptedId();
  const events = [{ data: { text: 'confidential' } }, { type: 'Open', data: { text: 'open' } }];
  await encrypted.append(createEncryptedAppend(id, events));
  const [page] = await readPages(encrypted, `stream-${id}`);
  expect(page!.map(({ data }) => data)).toEqual(events.map(({ data }) => data));
});
