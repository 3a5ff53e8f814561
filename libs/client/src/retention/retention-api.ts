import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  retentionRunJobPageSchema,
  retentionRunSchema,
  retentionSchema,
  retentionSettingSchema,
  type RetentionRunJobPage,
  type RetentionRunJobsQuery,
  type RetentionRunRecord,
  type RetentionRunRequest,
  type RetentionSettingRecord,
  type RetentionStatus,
  type SetRetentionRequest,
} from './retention.js';

/** How long tenants keep what their ended jobs leave behind, and its removal. */
export class RetentionApi {
  constructor(private readonly transport: Transport) {}

  /** Returns the settings of the tenants in which the caller has the right, and the newest run. */
  get(options: Cancellable = {}): Promise<RetentionStatus> {
    return this.transport.json(createGet(routes.retention(), {}, options), retentionSchema);
  }

  /** Replaces the setting of a tenant. Throws InvalidRequest, and RequestRefused (`forbidden`). */
  set(tenant: string, request: SetRetentionRequest, options: Cancellable = {}): Promise<RetentionSettingRecord> {
    return this.transport.json(
      createWrite('PUT', routes.tenantRetention(tenant), request, options),
      retentionSettingSchema,
    );
  }

  /**
   * Starts a run in the tenants in which the caller has the right. Returns the one that has not ended, if there is one for the same
   * tenants.
   */
  startRun(request: RetentionRunRequest = {}, options: Cancellable = {}): Promise<RetentionRunRecord> {
    return this.transport.json(createWrite('POST', routes.retentionRuns(), request, options), retentionRunSchema);
  }

  /** Returns a run. Throws PhaselineClientError (`run_not_found`). */
  getRun(runId: string, options: Cancellable = {}): Promise<RetentionRunRecord> {
    return this.transport.json(createGet(routes.retentionRun(runId), {}, options), retentionRunSchema);
  }

  /** Returns a page of what a run has done so far. Throws PhaselineClientError (`run_not_found`). */
  listRunJobs(
    runId: string,
    query: Partial<RetentionRunJobsQuery> = {},
    options: Cancellable = {},
  ): Promise<RetentionRunJobPage> {
    return this.transport.json(createGet(routes.retentionRunJobs(runId), query, options), retentionRunJobPageSchema);
  }
}
