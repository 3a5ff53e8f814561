import { createLongWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  releaseCheckSchema,
  whatIfBacktestSchema,
  whatIfBillSchema,
  type ReleaseCheck,
  type ReleaseCheckRequestBody,
  type WhatIfBacktest,
  type WhatIfBacktestRequest,
  type WhatIfBill,
  type WhatIfBillRequest,
} from './what-if.js';

/**
 * What recorded jobs would have been with another guard, other settings or another release. Nothing is executed, recorded or charged. Each method
 * throws PhaselineClientError `what_if_running` while the server decides other jobs again, and RequestRefused if it takes longer than four minutes.
 */
export class WhatIfApi {
  constructor(private readonly transport: Transport) {}

  /** Returns what a rule or a script, which is not stored, would have decided. Throws InvalidRequest. */
  backtest(request: WhatIfBacktestRequest, options: Cancellable = {}): Promise<WhatIfBacktest> {
    return this.transport.json(createLongWrite(routes.whatIf('backtests'), request, options), whatIfBacktestSchema);
  }

  /** Returns what jobs would have cost with other settings of the context, or at other prices. */
  bill(request: WhatIfBillRequest, options: Cancellable = {}): Promise<WhatIfBill> {
    return this.transport.json(createLongWrite(routes.whatIf('bills'), request, options), whatIfBillSchema);
  }

  /** Returns the decisions that the release of the server makes in another way than the one that recorded them. */
  checkRelease(request: ReleaseCheckRequestBody = {}, options: Cancellable = {}): Promise<ReleaseCheck> {
    return this.transport.json(createLongWrite(routes.whatIf('release-checks'), request, options), releaseCheckSchema);
  }
}
