import type { SecretMask } from './secret-mask.js';

/**
 * Masks secrets in content that arrives in chunks, wherever a chunk ends: holds back the end of the content until it cannot be the
 * beginning of a value any more.
 */
export class MaskedStream {
  /** One character per byte. */
  private held = '';
  private found = false;

  constructor(private readonly mask: SecretMask) {}

  /** Whether anything was masked in the content that was returned by `push` and `end`. */
  get hasMasked(): boolean {
    return this.found;
  }

  /** Adds a chunk and returns the content that is complete. */
  push(chunk: Uint8Array): Buffer {
    const bytes = this.held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const end = this.mask.findSafeEnd(bytes);
    this.held = bytes.slice(end);
    const complete = bytes.slice(0, end);
    const masked = this.mask.replaceAll(complete);
    this.found ||= masked !== complete;
    return Buffer.from(masked, 'latin1');
  }

  /** Returns what is held back, as it would be if the content ended here. */
  peek(): Buffer {
    return Buffer.from(this.mask.maskCutEnd(this.mask.replaceAll(this.held)), 'latin1');
  }

  /** Returns the rest. Call it when the content has ended or was cut. */
  end(): Buffer {
    const rest = this.peek();
    this.found ||= rest.toString('latin1') !== this.held;
    this.held = '';
    return rest;
  }
}
