export interface FileBeginning {
  /** Absent if the bytes are not text. */
  readonly text?: string;
  /** Whether the file has more bytes. */
  readonly isCut: boolean;
}

/** Reads at most `maxBytes` of a stream as text, and cancels the rest. A character that is cut at the end is left out. */
export async function readBeginning(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<FileBeginning> {
  const bytes = new Uint8Array(maxBytes);
  let length = 0;
  let isCut = false;
  // Leaving the loop cancels the stream.
  for await (const chunk of stream) {
    const part = chunk.subarray(0, maxBytes - length);
    bytes.set(part, length);
    length += part.length;
    isCut = part.length < chunk.length;
    if (isCut) break;
  }
  const text = decodeText(bytes.subarray(0, length), isCut);
  return { isCut, ...(text === undefined ? {} : { text }) };
}

/** Decodes UTF-8; `undefined` for other bytes, and for zero bytes, which no text file contains. */
function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
