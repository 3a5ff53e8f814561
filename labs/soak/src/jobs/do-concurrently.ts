/** Does something with each item, `limit` of them at a time, in their order. Rejects with the first error; no further item is begun then. */
export async function doConcurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    try {
      for (let next = iterator.next(); !next.done; next = iterator.next()) await act(next.value);
    } catch (error) {
      iterator.return?.();
      throw error;
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
}
