import { randomUUID } from 'node:crypto';
import type { EventId, JobId } from '@phaseline/contracts';
import type pg from 'pg';
import type { Lesson } from './learning-trace.js';

/** Stores lessons as learning traces of one job. Returns their ids in order, and the agent of the job as their reader. */
export async function storeLessons(pool: pg.Pool, lessons: readonly Lesson[]) {
  const ids = lessons.map(() => randomUUID() as EventId);
  const jobId = randomUUID() as JobId;
  await pool.query(
    `INSERT INTO phaseline.learning_traces (id, position, tenant, project, job_id, recorded_at, type, source, action, reason, agent, task, happened, correct, why)
     SELECT t.id, 1000 - t.n, 'default', 'shop', $1, '2030-01-01Z', 'violation', 'enforcement_hook', 'note', 'other', t.agent, t.task, t.happened, t.correct, t.why
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
       WITH ORDINALITY AS t(id, agent, task, happened, correct, why, n)`,
    [
      jobId,
      ids,
      lessons.map(({ context }) => context.agent),
      lessons.map(({ context }) => context.task),
      lessons.map(({ event }) => event.happened),
      lessons.map(({ event }) => event.correct),
      lessons.map(({ event }) => event.why),
    ],
  );
  return { ids, reader: { jobId, tenant: 'default', project: 'shop' } };
}
