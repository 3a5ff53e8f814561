import type { StreamId } from '@phaseline/contracts';
import { CHAIN_START, eventHash } from '../chain/canonical-event.js';
import type { StoredEvent } from '../chain/diagnose-stream.js';

export interface ArchivedHead {
  readonly streamId: StreamId;
  readonly version: number;
  readonly hash: Buffer;
}

/**
 * Recomputes the hash chain of each stream of an archive, and compares its end with the head that stayed in the log. Returns what is wrong;
 * undefined if the archive contains exactly these streams.
 */
export function findArchiveFault(events: readonly StoredEvent[], heads: readonly ArchivedHead[]): string | undefined {
  const expected = new Map(heads.map((head) => [head.streamId, head]));
  const reached = new Map<StreamId, { version: number; hash: Buffer }>();
  for (const event of events) {
    if (!expected.has(event.streamId)) return `it contains ${event.streamId}, which was not moved`;
    const { version, hash } = reached.get(event.streamId) ?? { version: 0, hash: CHAIN_START };
    if (event.version !== version + 1 || !eventHash(hash, event).equals(event.hash))
      return `version ${event.version} of ${event.streamId} does not continue the chain`;
    reached.set(event.streamId, event);
  }
  const incomplete = heads.find((head) => !reached.get(head.streamId)?.hash.equals(head.hash));
  return (
    incomplete && `the chain of ${incomplete.streamId} does not end as its head does, at version ${incomplete.version}`
  );
}
