import type { createPool } from '@phaseline/event-store';

type Pool = ReturnType<typeof createPool>;

/** What the database reads for one or several statements. */
export interface ReadCounts {
  /** Rows returned. */
  readonly rows: number;
  /** Pages of 8 KiB that were accessed, in shared buffers or not. A page that is accessed twice counts twice. */
  readonly buffers: number;
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface ExplainedPlan {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/**
 * Runs `read` with a pool that records its statements, and explains each of them with its values. So the counts are those of the
 * statements that the system sends, whatever they are. `read` may only use `query` of the pool.
 */
export async function explainStatements(pool: Pool, read: (pool: Pool) => Promise<unknown>): Promise<ReadCounts> {
  const statements: Statement[] = [];
  await read(recordStatements(pool, statements));
  const counts = { rows: 0, buffers: 0 };
  for (const { text, values } of statements) {
    const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: ExplainedPlan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
      [...values],
    );
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    counts.rows += plan['Actual Rows'];
    counts.buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return counts;
}

function recordStatements(pool: Pool, statements: Statement[]): Pool {
  return new Proxy(pool, {
    get: (target, key) => {
      if (key !== 'query') return Reflect.get(target, key) as unknown;
      return (query: string | Statement, values: readonly unknown[] = []) => {
        statements.push(typeof query === 'string' ? { text: query, values } : query);
        return typeof query === 'string'
          ? target.query(query, [...values])
          : target.query({ ...query, values: [...query.values] });
      };
    },
  });
}
