/** DBOS: a workflow with two steps per step of a job, each recorded in PostgreSQL. Its settings are the defaults. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { runPeer } from './run-peer.mjs';

await runPeer(async ({ databaseUrl }) => {
  /** @type {(jobId: string) => void} */
  let report = () => undefined;
  const work = DBOS.registerWorkflow(
    async (/** @type {string} */ jobId, /** @type {number} */ steps) => {
      for (let step = 0; step < steps; step += 1) {
        const call = await DBOS.runStep(async () => ({ name: 'echo', arguments: { text: `step ${step}` } }), {
          name: 'model',
        });
        await DBOS.runStep(async () => call.arguments.text, { name: 'tool' });
        report(jobId);
      }
    },
    { name: 'work' },
  );
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: databaseUrl, logLevel: 'error', enableOTLP: false });
  await DBOS.launch();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  return {
    runJobs: async (jobIds, steps, onStep) => {
      report = onStep;
      const handles = await Promise.all(
        jobIds.map((jobId) => DBOS.startWorkflow(work, { workflowID: jobId })(jobId, steps)),
      );
      await Promise.all(handles.map((handle) => handle.getResult()));
    },
    count: async (prefix) => {
      const jobs = await pool.query(
        "SELECT count(*) AS n FROM dbos.workflow_status WHERE workflow_uuid LIKE $1 AND status = 'SUCCESS'",
        [`${prefix}%`],
      );
      const { rows } = await pool.query(
        `SELECT count(*) FILTER (WHERE function_name = 'model') AS answers, count(*) FILTER (WHERE function_name = 'tool') AS results
         FROM dbos.operation_outputs WHERE workflow_uuid LIKE $1`,
        [`${prefix}%`],
      );
      const steps = Math.min(Number(rows[0].answers), Number(rows[0].results));
      return { completedJobs: Number(jobs.rows[0].n), steps };
    },
    close: async () => {
      await pool.end();
      await DBOS.shutdown();
    },
  };
});
