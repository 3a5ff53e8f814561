import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  randomUUID,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The key file cannot be read, or holds no Ed25519 key. */
export class AuditKeyUnusable extends Error {
  readonly code = 'audit_key_unusable';
  override readonly name = 'AuditKeyUnusable';
}

/** A public key that seals are checked with. */
export interface PublicKey {
  /** SHA-256 of the DER bytes, in hex. */
  readonly keyId: string;
  /** SubjectPublicKeyInfo. */
  readonly der: Buffer;
  readonly pem: string;
}

/** The key pair that seals are signed with. The private part stays in here. */
export interface AuditKey extends PublicKey {
  /** Ed25519 over the UTF-8 of the text; 64 bytes. */
  sign(text: string | Buffer): Buffer;
}

/** Reads a private key (PEM, PKCS #8). Throws AuditKeyUnusable. */
export async function readAuditKey(path: string): Promise<AuditKey> {
  const key = await read(path, createPrivateKey);
  const own = publicKeyOf(createPublicKey(key));
  return { ...own, sign: (text) => sign(null, Buffer.from(text), key) };
}

/** The same, and makes the key where there is none: a file that only its owner can read. Throws AuditKeyUnusable. */
export async function openAuditKey(path: string): Promise<AuditKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  // A name of its own: another one's draft may be the key by now, and writing to it would change the key.
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    await chmod(draft, 0o600);
    // Fails where there is a key: of two that start at once, one wins, and no key is ever overwritten.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (cause) {
    throw new AuditKeyUnusable(`the audit key ${path} cannot be made: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(draft, { force: true });
  }
  return readAuditKey(path);
}

/** Reads a public key, or the public part of a private one (PEM). Throws AuditKeyUnusable. */
export async function readPublicKey(path: string): Promise<PublicKey> {
  return publicKeyOf(await read(path, createPublicKey));
}

/** A key from its DER bytes. Throws where they are none. */
export function publicKeyFrom(der: Buffer): PublicKey {
  return publicKeyOf(createPublicKey({ key: der, format: 'der', type: 'spki' }));
}

/** False as well for a key that is none. */
export function isSignedBy(key: { readonly der: Buffer }, text: string | Buffer, signature: Buffer): boolean {
  try {
    return verify(null, Buffer.from(text), createPublicKey({ key: key.der, format: 'der', type: 'spki' }), signature);
  } catch {
    return false;
  }
}

function publicKeyOf(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${key.asymmetricKeyType} is not Ed25519`);
  const der = key.export({ type: 'spki', format: 'der' });
  return { keyId: hash('sha256', der, 'hex'), der, pem: key.export({ type: 'spki', format: 'pem' }) as string };
}

async function read(path: string, parse: (pem: Buffer) => KeyObject): Promise<KeyObject> {
  try {
    const key = parse(await readFile(path));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it holds a key of the kind ${key.asymmetricKeyType}`);
    return key;
  } catch (cause) {
    throw new AuditKeyUnusable(
      `${path} is not an Ed25519 key that can be used (${(cause as Error).message}). Make one: openssl genpkey -algorithm ed25519 -out FILE`,
      { cause },
    );
  }
}
