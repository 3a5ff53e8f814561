import { clockContract } from './clock-contract.js';
import { createContractContext } from './contract-context.js';
import { deliveryContract } from './delivery-contract.js';
import { failureContract } from './failure-contract.js';
import { handOverContract } from './hand-over-contract.js';
import { messageContract } from './message-contract.js';
import { outageContract } from './outage-contract.js';
import { runningContract } from './running-contract.js';
import type { Harness } from './harness.js';

export { WAIT_OPTIONS } from './contract-context.js';

/** The contract suite that every backend must pass. Call it inside a `describe` that names the backend. */
export function queueContract(harness: Harness): void {
  const stage = createContractContext(harness);
  deliveryContract(stage);
  messageContract(stage);
  failureContract(stage);
  runningContract(stage);
  handOverContract(stage);
  clockContract(stage);
  outageContract(stage);
}
