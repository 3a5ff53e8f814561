import { createHash } from 'node:crypto';
import { LOCAL_ACTOR } from '@phaseline/contracts';
import { EXPIRY_ACTOR, RETENTION_ACTOR } from '@phaseline/domain';
import { OPEN_ID_ACTOR } from '@phaseline/identity';

/**
 * Actors that are not API keys. A key must not use their names, because idempotency keys are scoped to the actor, and what its sender
 * refuses would look expired, or what it removes as removed by the service.
 */
const RESERVED: readonly string[] = [LOCAL_ACTOR, 'queue', EXPIRY_ACTOR, RETENTION_ACTOR, OPEN_ID_ACTOR];

const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]{0,62})=([^=].*)$/;

/** A configured API key: `name=key`, or the key alone. */
export interface ApiKey {
  /** Actor id of the key. Two keys may share a name, so that a key can be replaced without interruption. */
  readonly name: string;
  readonly key: string;
}

/** Parses `name=key` or a bare key. A bare key is named after its fingerprint, which does not reveal the key. */
export function parseApiKey(text: string): ApiKey {
  const [, name, key] = NAMED.exec(text) ?? [];
  if (name !== undefined && key !== undefined) return { name, key };
  return { name: `key-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, key: text };
}

/** Whether the text is an API key that is long enough and whose name is not reserved. */
export function isApiKey(text: string): boolean {
  const { name, key } = parseApiKey(text);
  return /^\S{16,}$/.test(key) && !RESERVED.includes(name);
}

/** Whether a stored principal cannot have the id, because its events would look like those of another actor. */
export function isReservedActor(
  id: string,
  { PHASELINE_API_KEYS }: { readonly PHASELINE_API_KEYS: readonly string[] },
): boolean {
  return RESERVED.includes(id) || PHASELINE_API_KEYS.some((key) => parseApiKey(key).name === id);
}
