import type { FaultAction } from './order.js';

/** Executes an action synchronously: no other code of this process runs between the call and its effect. */
export function executeAction(action: FaultAction): void {
  switch (action.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'block':
      // Blocks the event loop without using CPU time, unlike a busy loop.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, action.ms);
  }
}
