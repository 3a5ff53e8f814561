/** What the global setup of the test run hands to every spec. */
export interface TestServer {
  /** A login that may make and drop databases. */
  readonly superuserUrl: string;
  /** The migrated database that each test database is a copy of. Nobody connects to it. */
  readonly templateDatabase: string;
  readonly owner: { readonly name: string; readonly password: string };
  readonly app: { readonly name: string; readonly password: string };
}

/** A Redis for the test run. */
export interface TestRedis {
  readonly url: string;
  /** How many databases are ours to hand out, one a spec file; 0 when the server is not ours and the URL is to be used as it is. */
  readonly databases: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer;
    testRedis: TestRedis | undefined;
  }
}
