import type { VerifierReads } from '@phaseline/contracts';
import { UnreadableReport, type Report } from './report.js';

/** Reads the members of a JSON report that the definition names. Throws UnreadableReport. */
export function readJsonReport(text: string, pointers: NonNullable<VerifierReads['json']>): Report {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new UnreadableReport('it is not JSON', { cause });
  }
  const { success, passed, failed, skipped } = pointers;
  const isSuccess = success === undefined ? undefined : readPointer(value, success) === true;
  if (passed === undefined) return { isSuccess };
  const count = (pointer: string | undefined): number => (pointer === undefined ? 0 : readCount(value, pointer));
  const counts = { passed: count(passed), failed: count(failed), skipped: count(skipped) };
  return { isSuccess, tests: { ran: counts.passed + counts.failed, ...counts } };
}

function readCount(value: unknown, pointer: string): number {
  const found = readPointer(value, pointer);
  if (typeof found === 'number' && Number.isInteger(found) && found >= 0) return found;
  throw new UnreadableReport(`its member ${pointer} is not a number of tests`);
}

/** Returns the value at a JSON pointer (RFC 6901); `undefined` if there is none. */
function readPointer(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
