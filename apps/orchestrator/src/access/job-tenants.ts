import type { JobId } from '@phaseline/contracts';
import { Injectable } from '@nestjs/common';
import { jobStream } from '@phaseline/domain';
import { queryRows } from '@phaseline/event-store';
import { InjectPool } from '@phaseline/service';
import type { Pool } from 'pg';

/** Number of jobs whose tenant is remembered. */
const MAX_REMEMBERED_JOBS = 10_000;

/** Finds the tenant of a job. It is in the first event of the job and never changes, so it is remembered. */
@Injectable()
export class JobTenants {
  private readonly remembered = new Map<JobId, string>();

  constructor(@InjectPool() private readonly pool: Pool) {}

  /** Returns the tenant; undefined if the job does not exist. */
  async find(jobId: JobId): Promise<string | undefined> {
    const known = this.remembered.get(jobId);
    if (known !== undefined) return known;
    // The tenant is not encrypted, so it is found without a master key and after an erasure. Events that were written before there were
    // tenants contain none.
    const [row] = await queryRows<{ tenant: string }>(this.pool, {
      name: 'phaseline-job-tenant',
      text: `SELECT coalesce(data ->> 'tenant', 'default') AS tenant FROM phaseline.events WHERE stream_id = $1 AND version = 1`,
      values: [jobStream(jobId)],
    });
    if (!row) return undefined;
    const { tenant } = row;
    if (this.remembered.size >= MAX_REMEMBERED_JOBS) this.remembered.clear();
    this.remembered.set(jobId, tenant);
    return tenant;
  }
}
