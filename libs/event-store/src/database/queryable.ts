import { CompiledQuery, type Transaction } from 'kysely';

/** Anything that runs queries: a pool, or a client inside a transaction. */
export interface Queryable {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** Runs queries in a transaction of a subscription. */
export function toQueryable(transaction: Pick<Transaction<never>, 'executeQuery'>): Queryable {
  return {
    query: (text, values) => transaction.executeQuery(CompiledQuery.raw(text, values)) as Promise<{ rows: never[] }>,
  };
}
