import type { JobId } from '@phaseline/contracts';
import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  holdPageSchema,
  holdResponseSchema,
  type HoldRecord,
  type HoldRequest,
  type HoldResponse,
  type HoldsQuery,
} from './hold.js';

/** Legal holds: nothing of a job on hold is removed or erased. */
export class HoldApi {
  constructor(private readonly transport: Transport) {}

  /** Yields the holds that are in force on jobs of the caller's tenants, oldest first. */
  async *list(query: Partial<HoldsQuery> = {}, options: Cancellable = {}): AsyncGenerator<HoldRecord, void, undefined> {
    for (let { cursor } = query; ;) {
      const page = await this.transport.json(createGet(routes.holds(), { ...query, cursor }, options), holdPageSchema);
      yield* page.items;
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  /** Places a hold on a job, running or ended. A second hold changes nothing. Throws JobNotFound. */
  place(jobId: JobId, request: HoldRequest, options: Cancellable = {}): Promise<HoldResponse> {
    return this.transport.json(createWrite('PUT', routes.jobHold(jobId), request, options), holdResponseSchema);
  }

  /** Releases the hold on a job. A second release changes nothing. Throws JobNotFound. */
  release(jobId: JobId, { reason }: HoldRequest, { signal }: Cancellable = {}): Promise<HoldResponse> {
    const path = routes.jobHold(jobId);
    const request = { method: 'DELETE', path, query: { reason }, signal, isRepeatable: true } as const;
    return this.transport.json(request, holdResponseSchema);
  }
}
