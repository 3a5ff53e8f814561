import type { SecretMask } from './secret-mask.js';

/**
 * Masks secrets in content that arrives in chunks, wherever a chunk ends: holds back the end of the content until it cannot be the
 * beginning of a value any more.
 */
export class MaskedStream {
  /** One character per byte. */
  private held = '';

  constructor(private readonly mask: SecretMask) {}

  /** Adds a chunk and returns the content that is complete. */
  push(chunk: Uint8Array): Buffer {
    const bytes = this.held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const end = this.mask.findSafeEnd(bytes);
    this.held = bytes.slice(end);
    return Buffer.from(this.mask.replaceAll(bytes.slice(0, end)), 'latin1');
  }

  /** Returns what is held back, as it would be if the content ended here. */
  peek(): Buffer {
    return Buffer.from(this.mask.maskCutEnd(this.mask.replaceAll(this.held)), 'latin1');
  }

  /** Returns the rest. Call it when the content has ended or was cut. */
  end(): Buffer {
    const rest = this.peek();
    this.held = '';
    return rest;
  }
}
