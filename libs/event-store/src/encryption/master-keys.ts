import { hash, randomBytes } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import { decrypt, encodeAssociatedData, encrypt } from './authenticated-cipher.js';
import { MasterKeyInvalid, MasterKeyMissing, DecryptionFailed } from './encryption-errors.js';

const KEY_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

export interface WrappedKey {
  readonly wrapped: Buffer;
  /** Id of the master key that wraps it. */
  readonly masterKeyId: string;
}

export interface EncryptedContent {
  readonly content: Buffer;
  /** Id of the master key that encrypts it. */
  readonly masterKeyId: string;
}

/**
 * The master keys, which wrap the keys of jobs. The first one wraps new keys; the others only unwrap existing ones, so that a new master
 * key can be added in front. Master keys are identified by their hash.
 */
export class MasterKeys {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly firstId: string | undefined;

  private constructor(keys: readonly Buffer[]) {
    this.keys = new Map(keys.map((key) => [idOf(key), key]));
    this.firstId = this.keys.keys().next().value;
  }

  /** No master keys: wrapping and unwrapping throw MasterKeyMissing. */
  static readonly none = new MasterKeys([]);

  /**
   * Parses keys of 32 bytes in base64, separated by line breaks or commas; lines that start with # are ignored.
   * Throws MasterKeyInvalid.
   */
  static parse(text: string): MasterKeys {
    const parts = text
      .split(/[\n,]/)
      .map((part) => part.trim())
      .filter((part) => part !== '' && !part.startsWith('#'));
    if (parts.length === 0) throw new MasterKeyInvalid('it contains no master key');
    return new MasterKeys(
      parts.map((part, index) => {
        if (!BASE64.test(part))
          throw new MasterKeyInvalid(
            `key ${index + 1} is not 32 bytes in base64 (44 characters). Create one: openssl rand -base64 32`,
          );
        return Buffer.from(part, 'base64');
      }),
    );
  }

  /** Generates a new key in the format of `parse`. */
  static generate(): string {
    return randomBytes(KEY_BYTES).toString('base64');
  }

  /** Ids of all master keys; the first one wraps new keys. */
  get ids(): readonly string[] {
    return [...this.keys.keys()];
  }

  /**
   * Encrypts content with the first master key, bound to the place where it is stored: the parts of its name, of which the first says what
   * it is. Returns undefined if there is no master key.
   */
  encrypt(plain: Uint8Array, ...place: readonly [string, ...string[]]): EncryptedContent | undefined {
    const master = this.firstId === undefined ? undefined : this.keys.get(this.firstId);
    if (!master || this.firstId === undefined) return undefined;
    return { content: encrypt(master, plain, encodeAssociatedData(...place)), masterKeyId: this.firstId };
  }

  /** Decrypts content; undefined if it was not encrypted with one of these keys for this place. */
  decrypt({ content, masterKeyId }: EncryptedContent, ...place: readonly [string, ...string[]]): Buffer | undefined {
    const master = this.keys.get(masterKeyId);
    return master && decrypt(master, content, encodeAssociatedData(...place));
  }

  /** Wraps the key of a job with the first master key. Throws MasterKeyMissing. */
  wrap(correlationId: JobId, key: Uint8Array): WrappedKey {
    const master = this.firstId === undefined ? undefined : this.keys.get(this.firstId);
    if (!master || this.firstId === undefined) throw new MasterKeyMissing(correlationId);
    return { wrapped: encrypt(master, key, placeFor(correlationId)), masterKeyId: this.firstId };
  }

  /** Unwraps the key of a job. Throws MasterKeyMissing and DecryptionFailed. */
  unwrap(correlationId: JobId, { wrapped, masterKeyId }: WrappedKey): Buffer {
    const master = this.keys.get(masterKeyId);
    if (!master) throw new MasterKeyMissing(correlationId, this.firstId === undefined ? undefined : masterKeyId);
    const key = decrypt(master, wrapped, placeFor(correlationId));
    if (key?.byteLength !== KEY_BYTES) throw new DecryptionFailed(`the key of job ${correlationId}`);
    return key;
  }
}

function placeFor(correlationId: JobId): string {
  return encodeAssociatedData('phaseline job key', correlationId);
}

/** Computes the id of a master key from its hash, so that the id reveals nothing about the key. */
function idOf(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('phaseline master key\n'), key]), 'hex').slice(0, 16);
}
