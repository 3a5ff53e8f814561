/** What a query needs: a pool, or a client inside of a transaction. */
export interface Queryable {
  query<Row extends object>(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}
