import { getTracing } from './tracing.js';

/** Sends all spans that have been written. Resolves when they are sent, or cannot be sent now. */
export async function flushSpans(): Promise<void> {
  await getTracing()?.flush();
}
