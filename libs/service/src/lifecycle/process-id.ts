import { randomUUIDv7 } from 'node:crypto';

/** Names one life of one process: `<service>-<uuid>`. Ids of later lives sort behind. */
export function newProcessId(service: string): string {
  return `${service}-${randomUUIDv7()}`;
}
