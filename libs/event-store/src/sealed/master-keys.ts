import { hash, randomBytes } from 'node:crypto';
import { open, placeOf, seal } from './authenticated-cipher.js';
import { MasterKeyInvalid, MasterKeyMissing, SealBroken } from './sealed-errors.js';

const KEY_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

export interface WrappedKey {
  readonly wrapped: Buffer;
  /** Of the master key that it is wrapped with. */
  readonly masterKeyId: string;
}

/**
 * The keys that the keys of jobs are wrapped with. The first one wraps; the others only open what they wrapped once, so that
 * a new one can be put in front of them. They are told apart by their hash and need no names.
 */
export class MasterKeys {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly first: string | undefined;

  private constructor(keys: readonly Buffer[]) {
    this.keys = new Map(keys.map((key) => [idOf(key), key]));
    this.first = this.keys.keys().next().value;
  }

  /** For whoever has none: opens nothing, and says what to do about that. */
  static readonly none = new MasterKeys([]);

  /** Keys of 32 bytes in base64, one a line or with commas between them; lines that begin with # are left out. Throws MasterKeyInvalid. */
  static parse(text: string): MasterKeys {
    const parts = text
      .split(/[\n,]/)
      .map((part) => part.trim())
      .filter((part) => part !== '' && !part.startsWith('#'));
    if (parts.length === 0) throw new MasterKeyInvalid('there is no master key in it');
    return new MasterKeys(
      parts.map((part, index) => {
        if (!BASE64.test(part))
          throw new MasterKeyInvalid(
            `key ${index + 1} is not 32 bytes in base64 (44 characters). Make one: openssl rand -base64 32`,
          );
        return Buffer.from(part, 'base64');
      }),
    );
  }

  /** A new key as `parse` takes it. */
  static generate(): string {
    return randomBytes(KEY_BYTES).toString('base64');
  }

  /** All ids; the first one is that of the key that wraps. */
  get ids(): readonly string[] {
    return [...this.keys.keys()];
  }

  /** Throws MasterKeyMissing. */
  wrap(correlationId: string, key: Uint8Array): WrappedKey {
    const master = this.first === undefined ? undefined : this.keys.get(this.first);
    if (!master || this.first === undefined) throw new MasterKeyMissing(correlationId);
    return { wrapped: seal(master, key, placeFor(correlationId)), masterKeyId: this.first };
  }

  /** Throws MasterKeyMissing and SealBroken. */
  unwrap(correlationId: string, { wrapped, masterKeyId }: WrappedKey): Buffer {
    const master = this.keys.get(masterKeyId);
    if (!master) throw new MasterKeyMissing(correlationId, this.first === undefined ? undefined : masterKeyId);
    const key = open(master, wrapped, placeFor(correlationId));
    if (key?.byteLength !== KEY_BYTES) throw new SealBroken(`the key of job ${correlationId}`);
    return key;
  }
}

function placeFor(correlationId: string): string {
  return placeOf('phaseline job key', correlationId);
}

/** Of the key's hash, so that the id tells nothing about the key. */
function idOf(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('phaseline master key\n'), key]), 'hex').slice(0, 16);
}
