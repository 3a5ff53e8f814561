import { randomUUIDv7 } from 'node:crypto';

/** Creates the id of a process: `<service>-<uuid>`. It changes with every start, and later ids sort after earlier ones. */
export function createProcessId(service: string): string {
  return `${service}-${randomUUIDv7()}`;
}
