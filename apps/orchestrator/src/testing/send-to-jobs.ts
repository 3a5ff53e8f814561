import { randomUUID } from 'node:crypto';
import type { QueuedMessageId } from '@phaseline/contracts';
import { createTestPool } from '@phaseline/testing';
import { createPostgresBackend, withBackend } from 'bullmq';
import type { OrchestratorForSpecs } from './orchestrator-for-specs.js';

/** Adds any JSON to the `jobs` queue without checking it, as a BullMQ producer of another service may. */
export async function sendToJobs(
  { databaseUrls }: Pick<OrchestratorForSpecs, 'databaseUrls'>,
  request: unknown,
  messageId: QueuedMessageId = randomUUID(),
): Promise<void> {
  const pool = createTestPool({ connectionString: databaseUrls.service, options: '-c search_path=bullmq', max: 2 });
  const { Queue } = withBackend(createPostgresBackend);
  // The types of pg allow an undefined payload of a notification, those of BullMQ do not.
  const queue = new Queue('jobs', { connection: pool as never });
  try {
    await queue.add('submit', request, { jobId: messageId });
  } finally {
    await queue.close();
    await pool.end();
  }
}
