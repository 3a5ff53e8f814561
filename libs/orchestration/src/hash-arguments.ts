import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import { contentHash } from '@phaseline/event-store';

/** Returns the SHA-256 of the arguments of a call, to which an approval is bound. The order of the keys does not matter. */
export function hashArguments(args: JsonObject): string {
  return contentHash(Buffer.from(toCanonicalJson(args)));
}
