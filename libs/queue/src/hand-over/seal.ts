import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { ProcessId } from '@phaseline/contracts';
import { LRUCache } from 'lru-cache';

/** Bytes of the secret that the processes of an installation share. */
const SECRET_BYTES = 32;
/** Half of the bytes of a hash: enough that two marks do not collide. */
const MARK_BYTES = 16;

const CIPHER = 'aes-256-gcm';
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + NONCE_BYTES + TAG_BYTES;
/** Number of other processes whose keys are kept. A key that was dropped is derived again. */
const MAX_KEPT_KEYS = 1_000;

/** What processes share to open each other's texts. */
export interface Sealing {
  /** 32 bytes. */
  readonly secret: Buffer;
  /** Names the format of what is sealed. Processes of releases with other formats cannot open it. At most 500 characters. */
  readonly format: string;
}

/**
 * Seals texts for other processes: they are encrypted and authenticated (AES-256-GCM), so that a queue server, and others who can reach it,
 * can neither read nor forge them. A sealed text opens only at its receiver, and only as a text of its sender.
 *
 * Each process derives a key of its own from the shared secret and a random salt (HKDF, SHA-256), and counts its nonces, so none repeats.
 */
export class Seal {
  /** Processes with the same mark open each other's texts. It says nothing about the secret. */
  readonly mark: string;
  private readonly salt = randomBytes(SALT_BYTES);
  /** Prepared keys: preparing one for each text took a sixth of the processor time of a step with a remote call. */
  private readonly key: KeyObject;
  private readonly keysOfOthers = new LRUCache<string, KeyObject>({ max: MAX_KEPT_KEYS });
  private sealed = 0n;

  constructor(
    private readonly sealing: Sealing,
    private readonly self: ProcessId,
  ) {
    if (sealing.secret.length !== SECRET_BYTES) throw new RangeError(`the secret must have ${SECRET_BYTES} bytes`);
    this.key = this.deriveKey(this.salt);
    this.mark = this.derive('mark', Buffer.alloc(0), MARK_BYTES).toString('hex');
  }

  /** Seals a text for `receiver`. Returns base64: salt, nonce, tag, and the encrypted text. */
  seal(text: string, receiver: ProcessId): string {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeBigUInt64BE((this.sealed += 1n), NONCE_BYTES - 8);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(encodeRoute(this.self, receiver));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.salt, nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** Opens a text that `sender` sealed for this process; undefined if it is not authentic. */
  open(sealed: string, sender: ProcessId): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < HEADER_BYTES) return undefined;
    const salt = bytes.subarray(0, SALT_BYTES);
    const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
    const tag = bytes.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES);
    try {
      const decipher = createDecipheriv(CIPHER, this.keyOf(salt), nonce, { authTagLength: TAG_BYTES })
        .setAAD(encodeRoute(sender, this.self))
        .setAuthTag(tag);
      return decipher.update(bytes.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  private keyOf(salt: Buffer): KeyObject {
    const name = salt.toString('base64');
    const known = this.keysOfOthers.get(name);
    if (known) return known;
    const key = this.deriveKey(salt);
    this.keysOfOthers.set(name, key);
    return key;
  }

  private deriveKey(salt: Buffer): KeyObject {
    return createSecretKey(this.derive('key', salt, SECRET_BYTES));
  }

  private derive(use: 'key' | 'mark', salt: Buffer, bytes: number): Buffer {
    const { secret, format } = this.sealing;
    return Buffer.from(hkdfSync('sha256', secret, salt, `phaseline hand-over ${use} ${format}`, bytes));
  }
}

/** JSON, so that no choice of names gives the route of two others. */
function encodeRoute(sender: ProcessId, receiver: ProcessId): Buffer {
  return Buffer.from(JSON.stringify([sender, receiver]));
}
