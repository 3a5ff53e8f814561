import { ToolError, type JobId } from '@phaseline/contracts';

/** The part of `pg.Pool` that a pack needs whose state is kept behind SQL functions. */
export interface Database {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** What the executing process provides to a pack that keeps state outside the event log. */
export interface PackHost<Db extends Database = Database> {
  readonly database: Db;
  /** Returns the tenant of a job. A job never changes its tenant. */
  getTenant(jobId: JobId): Promise<string>;
}

/** Returns the name of a collection: the pattern with `{tenant}` replaced by the tenant of the job. */
export function resolveCollection(pattern: string, tenant: string): string {
  return pattern.replaceAll('{tenant}', () => tenant);
}

/** Temporary states of the server and of the connection: restarts, failovers, exhausted pools, serialization failures. */
const TEMPORARY_ERROR_CODE =
  /^(?:08|40|53|57P|55P03)|^(?:ECONNRESET|ECONNREFUSED|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

/** Runs a database call of a tool. A temporary failure becomes a retryable ToolError; any other error is thrown unchanged. */
export async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const { code = '', message = '' } = error as { code?: string; message?: string };
    if (
      !TEMPORARY_ERROR_CODE.test(code) &&
      !/connection terminated|connection error|timeout exceeded|read timeout/i.test(message)
    )
      throw error;
    throw new ToolError('database_unavailable', 'The database did not respond. Try again later.', {
      retryable: true,
      cause: error,
    });
  }
}
