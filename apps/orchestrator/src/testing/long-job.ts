import { createPool, EventStore } from '@phaseline/event-store';
import { appendLongJob } from '@phaseline/harness';
import { createTestDatabase } from '@phaseline/testing';
import { startOrchestrator, type OrchestratorForSpecs } from './orchestrator-for-specs.js';

/** Starts an orchestrator on a database that contains a long job. The job is generated before, because orchestrators decide about jobs. */
export async function startWithLongJob(
  options: Parameters<typeof appendLongJob>[1],
): Promise<{ readonly orchestrator: OrchestratorForSpecs; readonly jobId: string; stop(): Promise<void> }> {
  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl);
  try {
    const jobId = await appendLongJob(new EventStore(pool), options);
    const databaseUrls = { owner: database.ownerUrl, service: database.serviceUrl };
    const orchestrator = await startOrchestrator({}, { beside: { databaseUrls } });
    const stop = async (): Promise<void> => {
      await orchestrator.stop();
      await database.drop();
    };
    return { orchestrator, jobId, stop };
  } catch (error) {
    await database.drop();
    throw error;
  } finally {
    await pool.end();
  }
}
