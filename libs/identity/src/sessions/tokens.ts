import { createHash, randomBytes } from 'node:crypto';

/** Prefix by which logs recognise and redact a token. */
const prefixes = { link: 'pll', session: 'pls', browser: 'plb' } as const;

/** Generates a token of 256 random bits. */
export function generateToken(kind: keyof typeof prefixes): string {
  return `${prefixes[kind]}_${randomBytes(32).toString('base64url')}`;
}

/** Hashes a token for storage. A slow hash is not necessary, because tokens cannot be guessed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
