import type { FaultAction } from './order.js';

/** Does it at once: nothing else of this process runs between the call and its effect. */
export function carryOut(action: FaultAction): void {
  switch (action.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'block':
      // Not a loop that counts: the event loop stands still all the same, and the processor is free for the others.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, action.ms);
  }
}
