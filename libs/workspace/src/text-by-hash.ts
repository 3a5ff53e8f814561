import { isUtf8 } from 'node:buffer';
import type { BlobReader } from './staged-workspace.js';

/** Reads a text by its content hash; `undefined` if it is missing, no text, or larger than this number of bytes. */
export async function readTextByHash(blobs: BlobReader, hash: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await (blobs.read ? blobs.read(hash, { offset: 0, length: maxBytes + 1 }) : blobs.get(hash));
  return bytes && toText(bytes, maxBytes);
}

/** Decodes a text; `undefined` for bytes that are no text or more than this. */
export function toText(bytes: Uint8Array, maxBytes: number): string | undefined {
  return bytes.byteLength <= maxBytes && isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
}
