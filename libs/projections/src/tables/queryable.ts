/** Anything that runs queries: a pool, or a client inside a transaction. */
export interface Queryable {
  query<Row extends object>(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}
