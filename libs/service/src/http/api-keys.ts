import { createHash } from 'node:crypto';

/** The actor of a request to a service that asks for no API key. */
export const LOCAL_ACTOR = 'local';

/** Actors that are not API keys; a key may not take their name, because idempotency keys are told apart by actor. */
const RESERVED: readonly string[] = [LOCAL_ACTOR, 'queue'];

const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]{0,62})=([^=].*)$/;

/** An API key as it is configured: `name=key`, or the key alone. */
export interface ApiKey {
  /** Id of the actor that the key stands for. Two keys may share a name, so that a key can be replaced without a gap. */
  readonly name: string;
  readonly key: string;
}

/** Parses `name=key` or a bare key. A bare key is named after its fingerprint, which says nothing about the key itself. */
export function parseApiKey(text: string): ApiKey {
  const [, name, key] = NAMED.exec(text) ?? [];
  if (name !== undefined && key !== undefined) return { name, key };
  return { name: `key-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, key: text };
}

/** Whether the text is an API key that is long enough, under a name that is free. */
export function isApiKey(text: string): boolean {
  const { name, key } = parseApiKey(text);
  return /^\S{16,}$/.test(key) && !RESERVED.includes(name);
}
