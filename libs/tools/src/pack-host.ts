import { ToolError } from './tool-error.js';

/** As much of a `pg.Pool` as a pack needs that keeps its state behind SQL functions. */
export interface Database {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** What a pack that keeps state beside the log needs of the process that executes it. */
export interface PackHost<Db extends Database = Database> {
  readonly database: Db;
  /** Whose job it is. Never changes for a job. */
  tenantOf(jobId: string): Promise<string>;
}

/** A pack without its host only tells what its tools take: enough for a worker, which executes none of them. */
export function hostOf<Host>(host: Host | undefined, pack: string): Host {
  if (host) return host;
  throw new ToolError('no_host', `The ${pack} pack is not set up in this process. Tell the operator.`);
}

/** Where a collection is named by a pattern: `{tenant}` stands for the tenant of the job. */
export function collectionOf(pattern: string, tenant: string): string {
  return pattern.replaceAll('{tenant}', () => tenant);
}

/** States of the server and of the connection that pass: restarts, fail-overs, full pools, lost races. */
const PASSING = /^(?:08|40|53|57P|55P03)|^(?:ECONNRESET|ECONNREFUSED|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

/** Runs a database call of a tool; a failure that may pass becomes a retryable ToolError, any other is thrown as it is. */
export async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const { code = '', message = '' } = error as { code?: string; message?: string };
    if (!PASSING.test(code) && !/connection terminated|connection error|timeout exceeded|read timeout/i.test(message))
      throw error;
    throw new ToolError('database_unavailable', 'The database did not answer. Try again later.', {
      retryable: true,
      cause: error,
    });
  }
}
