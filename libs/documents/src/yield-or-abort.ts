import { yieldOnce } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';

/** Yields to the event loop between two pieces of a long parse. Throws ToolError `aborted` when the signal is aborted. */
export async function yieldOrAbort(signal: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  await yieldOnce();
  throwIfAborted(signal);
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new ToolError('aborted', 'Reading the document was interrupted.', {
      retryable: true,
      cause: signal.reason,
    });
  }
}
