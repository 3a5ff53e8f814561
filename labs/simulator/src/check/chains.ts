import { CHAIN_START, eventHash } from '@phaseline/event-store';
import type { RunResult } from '../run/world.js';

/** Recomputes every hash from the stored text and checks that the versions of each stream have no gaps. */
export function* checkChains({ log }: RunResult): Iterable<string> {
  for (const streamId of log.streamIds()) {
    let hash: Buffer = CHAIN_START;
    for (const [index, { recorded, hashed }] of log.storedEvents(streamId).entries()) {
      hash = eventHash(hash, hashed);
      if (recorded.version !== index + 1) yield `${streamId}: version ${recorded.version} at index ${index + 1}`;
      if (hash.toString('hex') !== recorded.hash) yield `${streamId}: wrong hash at version ${recorded.version}`;
    }
  }
}
