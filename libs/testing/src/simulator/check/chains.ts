import { CHAIN_START, eventHash } from '@phaseline/event-store';
import type { Remains } from '../run/world.js';

/** Hashes computed anew from the stored texts, and every stream's versions without a gap. */
export function* chainsHold({ log }: Remains): Iterable<string> {
  for (const streamId of log.streamIds()) {
    let hash: Buffer = CHAIN_START;
    for (const [index, { recorded, hashed }] of log.stored(streamId).entries()) {
      hash = eventHash(hash, hashed);
      if (recorded.version !== index + 1) yield `${streamId}: version ${recorded.version} at place ${index + 1}`;
      if (hash.toString('hex') !== recorded.hash)
        yield `${streamId}: the hash of version ${recorded.version} does not fit`;
    }
  }
}
