import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY = /^plk_([0-9a-f]{8})_[A-Za-z0-9_-]{43}$/;

/** A new key: the key itself, which is shown once, and what is stored of it. */
export interface CreatedKey {
  readonly key: string;
  readonly prefix: string;
  /** SHA-256 of the key in hex. A slow hash would not protect 256 random bits any better. */
  readonly digest: string;
}

/** Creates a random key: `plk_<prefix>_<secret>`. Scanners for leaked keys recognise the beginning. */
export function createKey(): CreatedKey {
  const prefix = randomBytes(4).toString('hex');
  const key = `plk_${prefix}_${randomBytes(32).toString('base64url')}`;
  return { key, prefix, digest: digestKey(key).toString('hex') };
}

/** Returns the prefix of a key; undefined if the text has not the form of a key. */
export function parseKeyPrefix(key: string): string | undefined {
  return KEY.exec(key)?.[1];
}

/** Whether a key has the stored digest. Takes the same time for every key. */
export function isKeyWithDigest(key: string, digest: Buffer): boolean {
  return timingSafeEqual(digestKey(key), digest);
}

function digestKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
