import { createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  traceScopeChangeSchema,
  type PromoteTraceRequest,
  type TraceScopeChangeRecord,
  type WithdrawTraceRequest,
} from './learning-trace.js';

/** What agents may learn from other jobs. */
export class LearningApi {
  constructor(private readonly transport: Transport) {}

  /** Lets agents of other jobs of the tenant read a learning trace. Throws RequestRefused, also if its job ran for the caller. */
  promote(id: string, request: PromoteTraceRequest, options: Cancellable = {}): Promise<TraceScopeChangeRecord> {
    const write = createWrite('POST', routes.learningTracePromotions(id), request, options);
    return this.transport.json(write, traceScopeChangeSchema);
  }

  /** Takes the promotion of a learning trace back. */
  withdraw(id: string, request: WithdrawTraceRequest, options: Cancellable = {}): Promise<TraceScopeChangeRecord> {
    const write = createWrite('POST', routes.learningTraceWithdrawals(id), request, options);
    return this.transport.json(write, traceScopeChangeSchema);
  }
}
