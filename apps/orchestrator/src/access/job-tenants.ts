import type { JobId } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { Injectable } from '@nestjs/common';

/** Number of jobs whose tenant is remembered. */
const MAX_REMEMBERED_JOBS = 10_000;

/** Finds the tenant of a job. It is in the first event of the job and never changes, so it is remembered. */
@Injectable()
export class JobTenants {
  private readonly remembered = new Map<JobId, string>();

  constructor(private readonly store: EventStore) {}

  /** Returns the tenant; undefined if the job does not exist. */
  async find(jobId: JobId): Promise<string | undefined> {
    const known = this.remembered.get(jobId);
    if (known !== undefined) return known;
    const [first] = await this.store.readCorrelation(jobId, { limit: 1 });
    if (!first) return undefined;
    // Events written before tenants were introduced contain no tenant.
    const tenant = typeof first.data['tenant'] === 'string' ? first.data['tenant'] : 'default';
    if (this.remembered.size >= MAX_REMEMBERED_JOBS) this.remembered.clear();
    this.remembered.set(jobId, tenant);
    return tenant;
  }
}
