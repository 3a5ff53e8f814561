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

/** The key file cannot be read or created, or does not contain an Ed25519 key. */
class AuditKeyUnusable extends Error {
  override readonly name = 'AuditKeyUnusable';
  readonly code = 'audit_key_unusable';
}

/** A public key that verifies anchors. */
export interface PublicKey {
  /** SHA-256 of the DER bytes, in hex. */
  readonly keyId: string;
  /** SubjectPublicKeyInfo in DER. */
  readonly der: Buffer;
  readonly pem: string;
}

/** The key pair that signs anchors. The private key is not exposed. */
export interface AuditKey extends PublicKey {
  /** Returns the Ed25519 signature of the UTF-8 text: 64 bytes. */
  sign(text: string | Buffer): Buffer;
}

/** Reads a private key (PEM, PKCS #8). Throws AuditKeyUnusable. */
export async function readAuditKey(path: string): Promise<AuditKey> {
  const key = await readKey(path, createPrivateKey);
  const publicKey = publicKeyOf(createPublicKey(key));
  return { ...publicKey, sign: (text) => sign(null, Buffer.from(text), key) };
}

/** Reads a private key, and creates it if the file does not exist, readable only by its owner. Throws AuditKeyUnusable. */
export async function openAuditKey(path: string): Promise<AuditKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  // A unique name: a temporary file of another process may already be linked as the key, and writing to it would change the key.
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    await chmod(temporary, 0o600);
    // link fails if the key exists, so one of several concurrent processes wins and no key is ever overwritten.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (cause) {
    throw new AuditKeyUnusable(`cannot create the audit key ${path}: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(temporary, { force: true });
  }
  return readAuditKey(path);
}

/** Reads a public key, or the public part of a private one (PEM). Throws AuditKeyUnusable. */
export async function readPublicKey(path: string): Promise<PublicKey> {
  return publicKeyOf(await readKey(path, createPublicKey));
}

/** Parses a public key from its DER bytes. Throws if they are not a key. */
export function parsePublicKey(der: Buffer): PublicKey {
  return publicKeyOf(createPublicKey({ key: der, format: 'der', type: 'spki' }));
}

/** Whether the signature of the text is valid. Returns false for a malformed key. */
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

async function readKey(path: string, parse: (pem: Buffer) => KeyObject): Promise<KeyObject> {
  try {
    const key = parse(await readFile(path));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it contains a key of type ${key.asymmetricKeyType}`);
    return key;
  } catch (cause) {
    throw new AuditKeyUnusable(
      `${path} is not a usable Ed25519 key (${(cause as Error).message}). Create one: openssl genpkey -algorithm ed25519 -out FILE`,
      { cause },
    );
  }
}
