import { expect, it } from 'vitest';
import { GroupReads, type StreamRange } from './group-reads.js';

/** A reader whose queries end when told, with the streams of each query. */
function openReads(options = { lanes: 1, maxRanges: 3 }) {
  const queries: { readonly streams: readonly string[]; end(error?: Error): void }[] = [];
  const reads = new GroupReads((ranges: readonly StreamRange[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<never[][]>();
    const end = (error?: Error): void => (error ? reject(error) : resolve(ranges.map(() => [])));
    queries.push({ streams: ranges.map(({ streamId }) => streamId), end });
    return promise;
  }, options);
  const read = (streamId: string) => reads.read({ streamId, from: 2, to: 9, limit: 500 });
  return { queries, read };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('reads of one turn share a query, and later ones wait for the next', async () => {
  const { queries, read } = openReads();
  const first = [read('a'), read('b')];
  await settle();
  const later = [read('c'), read('d'), read('e'), read('f')];
  await settle();
  expect(queries.map(({ streams }) => streams)).toEqual([['a', 'b']]);
  queries[0]!.end();
  await Promise.all(first);
  await settle();
  queries[1]!.end();
  await settle();
  queries[2]!.end();
  await Promise.all(later);
  expect(queries.map(({ streams }) => streams)).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
});

it('a failed query fails its reads, and no others', async () => {
  const { queries, read } = openReads();
  const failing = [read('a'), read('b')].map((reading) => expect(reading).rejects.toThrow('gone'));
  await settle();
  const next = read('c');
  queries[0]!.end(new Error('gone'));
  await Promise.all(failing);
  await settle();
  queries[1]!.end();
  await expect(next).resolves.toEqual([]);
});
