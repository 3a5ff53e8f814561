import type { JobId } from '@phaseline/contracts';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

/** A child job, and the call that delegated its task. */
export interface Delegated {
  readonly childId: JobId;
  readonly parentId: JobId;
  readonly phase: number;
  readonly callId: string;
}

/** Which jobs are child jobs, and of which calls. A child job is added before it is submitted. */
export interface ChildJobTable {
  /** Adds a child job, unless it was added before. */
  add(child: Delegated): Promise<void>;
  /** Finds the child jobs among these jobs, or those of these jobs. */
  find(by: 'childId' | 'parentId', jobIds: readonly JobId[]): Promise<readonly Delegated[]>;
}

/** The table in PostgreSQL. */
export class PostgresChildJobTable implements ChildJobTable {
  constructor(private readonly pool: pg.Pool) {}

  async add({ childId, parentId, phase, callId }: Delegated): Promise<void> {
    await queryRows(this.pool, {
      text: `INSERT INTO phaseline.child_jobs (child_id, parent_id, phase, call_id) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING`,
      values: [childId, parentId, phase, callId],
    });
  }

  async find(by: 'childId' | 'parentId', jobIds: readonly JobId[]): Promise<readonly Delegated[]> {
    if (jobIds.length === 0) return [];
    const column = { childId: 'child_id', parentId: 'parent_id' }[by];
    return queryRows<Delegated>(this.pool, {
      text: `SELECT child_id AS "childId", parent_id AS "parentId", phase, call_id AS "callId" FROM phaseline.child_jobs WHERE ${column} = ANY ($1::uuid[])`,
      values: [jobIds],
    });
  }
}
