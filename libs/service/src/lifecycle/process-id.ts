import { randomUUIDv7 } from 'node:crypto';
import type { ProcessId } from '@phaseline/contracts';

/** Creates the id of a process: `<service>-<uuid>`. It changes with every start, and later ids sort after earlier ones. */
export function createProcessId(service: string): ProcessId {
  return `${service}-${randomUUIDv7()}`;
}
