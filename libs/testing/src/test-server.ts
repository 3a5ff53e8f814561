/** PostgreSQL server that the global setup of the test run provides to every spec. */
export interface TestServer {
  /** URL of a login that may create and drop databases. */
  readonly superuserUrl: string;
  /** Name of the migrated database that is copied for each test database. It does not accept connections. */
  readonly templateDatabase: string;
  readonly owner: { readonly name: string; readonly password: string };
  readonly app: { readonly name: string; readonly password: string };
}

/** Redis server of the test run. */
interface TestRedis {
  readonly url: string;
  /** Number of databases to distribute among workers; 0 if the server was given by REDIS_URL and the URL is used unchanged. */
  readonly databases: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer;
    testRedis: TestRedis | undefined;
  }
}
