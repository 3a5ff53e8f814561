import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE = 12;
const TAG = 16;

/** How much longer than the plain bytes the sealed ones are. */
export const SEAL_BYTES = NONCE + TAG;

/**
 * AES-256-GCM: nonce, ciphertext and tag in one. The nonce is random; a key may seal some four thousand million things, far
 * more than a job holds. `place` is bound to it: opened as anything else it fails.
 */
export function seal(key: Uint8Array, plain: Uint8Array, place: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(place, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The plain bytes; undefined when they were not sealed with this key for this place. */
export function open(key: Uint8Array, sealed: Buffer, place: string): Buffer | undefined {
  if (sealed.byteLength < SEAL_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(place, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.byteLength - TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, sealed.byteLength - TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** The parts as one text that no other parts give. */
export function placeOf(...parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.byteLength(part)}:${part},`).join('');
}
