/** Errors that trouble outside of a process brings with it, by code or name. Anything else is a mistake of the engine. */
const expected = new Set(['DATABASE_UNREACHABLE', 'QUEUE_UNAVAILABLE', 'aborted']);
/** `JobDriver` gives up after so many rivals in a row and is asked again. */
const RIVALS = /changed \d+ times while/;

export function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && typeof error.code === 'string' && expected.has(error.code)) || RIVALS.test(error.message);
}
