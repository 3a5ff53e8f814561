import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Number of bytes by which ciphertext is longer than plaintext. */
const CIPHER_OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts with AES-256-GCM. Returns nonce, ciphertext and tag. Nonces are random, which is safe for about four billion messages per
 * key, far more than a job has. The ciphertext is bound to `place`: decrypting it for any other place fails.
 */
export function encrypt(key: Uint8Array, plain: Uint8Array, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(place, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts and returns the plaintext; undefined if it was not encrypted with this key for this place. */
export function decrypt(key: Uint8Array, encrypted: Buffer, place: string): Buffer | undefined {
  if (encrypted.byteLength < CIPHER_OVERHEAD_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place, 'utf8'));
  decipher.setAuthTag(encrypted.subarray(encrypted.byteLength - TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(encrypted.subarray(NONCE_BYTES, encrypted.byteLength - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    return undefined;
  }
}

/** Joins the parts to an unambiguous text. */
export function encodeAssociatedData(...parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.byteLength(part)}:${part},`).join('');
}
