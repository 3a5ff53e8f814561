import { createHmac, randomBytes } from 'node:crypto';
import { open, seal } from './authenticated-cipher.js';

/** The key of one sealed job, and what is done with it. A key of its own for each use is derived from it. */
export class JobKey {
  private readonly data: Buffer;
  private readonly names: Buffer;

  constructor(readonly bytes: Uint8Array) {
    this.data = createHmac('sha256', bytes).update('phaseline seal').digest();
    this.names = createHmac('sha256', bytes).update('phaseline name').digest();
  }

  static generate(): JobKey {
    return new JobKey(randomBytes(32));
  }

  seal(plain: Uint8Array, place: string): Buffer {
    return seal(this.data, plain, place);
  }

  open(sealed: Buffer, place: string): Buffer | undefined {
    return open(this.data, sealed, place);
  }

  /** What a content is called where others may look: without the key nobody can tell which content it is. */
  nameOf(hash: string): Buffer {
    return createHmac('sha256', this.names).update(hash).digest();
  }
}
