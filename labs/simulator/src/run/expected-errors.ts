/** Codes of errors that faults outside the process cause. Any other error is a defect of the engine. */
const EXPECTED_CODES = new Set(['database_unreachable', 'queue_unavailable', 'aborted']);
/** Message of `JobDriver` when it gives up after too many concurrent changes; it is called again later. */
const CONCURRENT_CHANGES = /changed \d+ times while/;

export function isExpectedError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('code' in error && typeof error.code === 'string' && EXPECTED_CODES.has(error.code)) ||
    CONCURRENT_CHANGES.test(error.message)
  );
}
