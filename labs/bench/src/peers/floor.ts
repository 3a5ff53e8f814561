import pg from 'pg';
import { percentile } from '@phaseline/harness';
import type { SystemFigures } from './measured-system.js';

/** The first steps of a job are not part of the p50. */
const UNMEASURED_STEPS = 4;

/**
 * Measures the least that a durable step can cost on PostgreSQL: one commit of two rows, an answer and a result. Each job has a connection
 * of its own and takes its steps one after the other. Creates the table `floor_steps`, so the database is for this alone.
 */
export async function measureFloor(options: {
  readonly databaseUrl: string;
  readonly jobs: number;
  readonly stepsPerJob: number;
}): Promise<SystemFigures> {
  const { databaseUrl, jobs, stepsPerJob } = options;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: jobs });
  const times: number[] = [];
  const runJob = async (client: pg.PoolClient, job: number): Promise<void> => {
    for (let step = 0; step < stepsPerJob; step += 1) {
      const started = performance.now();
      await client.query({
        name: 'floor-step',
        text: `INSERT INTO floor_steps VALUES ($1, $2, 'answer', $3), ($1, $2, 'result', $4)`,
        values: [job, step, JSON.stringify({ name: 'echo', arguments: { text: `step ${step}` } }), `step ${step}`],
      });
      if (step >= UNMEASURED_STEPS) times.push(performance.now() - started);
    }
  };
  try {
    await pool.query(`DROP TABLE IF EXISTS floor_steps`);
    await pool.query(
      'CREATE TABLE floor_steps (job integer, step integer, kind text, content text, PRIMARY KEY (job, step, kind))',
    );
    const clients = await Promise.all(Array.from({ length: jobs }, () => pool.connect()));
    const started = performance.now();
    await Promise.all(clients.map(runJob));
    const seconds = (performance.now() - started) / 1_000;
    for (const client of clients) client.release();
    const { rows } = await pool.query<{ rows: string; jobs: string }>(
      `SELECT count(*) AS rows, count(DISTINCT job) FILTER (WHERE step = $1 AND kind = 'result') AS jobs FROM floor_steps`,
      [stepsPerJob - 1],
    );
    const steps = Number(rows[0]!.rows) / 2;
    return {
      ...{ completedJobs: Number(rows[0]!.jobs), steps, seconds },
      ...{ stepsPerSecond: steps / seconds, p50Ms: percentile(times, 0.5) },
    };
  } finally {
    await pool.end();
  }
}
