import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from './authenticated-cipher.js';

/** The key of an encrypted job. A separate key is derived from it for each purpose. */
export class JobKey {
  private readonly dataKey: Buffer;
  private readonly nameKey: Buffer;

  constructor(readonly bytes: Uint8Array) {
    this.dataKey = createHmac('sha256', bytes).update('phaseline data key').digest();
    this.nameKey = createHmac('sha256', bytes).update('phaseline name key').digest();
  }

  static generate(): JobKey {
    return new JobKey(randomBytes(32));
  }

  encrypt(plain: Uint8Array, place: string): Buffer {
    return encrypt(this.dataKey, plain, place);
  }

  decrypt(encrypted: Buffer, place: string): Buffer | undefined {
    return decrypt(this.dataKey, encrypted, place);
  }

  /** Computes the stored name of content from its hash. Without the key, the name reveals nothing about the content. */
  computeBlobName(hash: string): Buffer {
    return createHmac('sha256', this.nameKey).update(hash).digest();
  }
}
