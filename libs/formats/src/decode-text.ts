import { ToolError } from '@phaseline/contracts';

export interface DecodedText {
  /** Text with `\n` as line ends and without a byte order mark. */
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
}

/** Bytes that are examined to distinguish text from binary data and the two byte orders of UTF-16. */
const SAMPLE_BYTES = 64 * 1024;

/** Detects UTF-16 without a byte order mark: in Latin text, every other byte is zero. */
function guessUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  let even = 0;
  let odd = 0;
  sample.forEach((byte, i) => {
    if (byte === 0 && i % 2 === 0) even += 1;
    else if (byte === 0) odd += 1;
  });
  const half = sample.length / 2;
  if (sample.length >= 8 && odd > half * 0.4 && even < half * 0.02) return 'utf-16le';
  if (sample.length >= 8 && even > half * 0.4 && odd < half * 0.02) return 'utf-16be';
  return undefined;
}

/** Whether the bytes contain NUL or too many control characters other than tab, line ends, form feed and escape. */
function isBinary(sample: Uint8Array): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) controls += 1;
  }
  return controls > sample.length * 0.02;
}

function decodeAs(bytes: Uint8Array, encoding: DecodedText['encoding'], fatal: boolean): string {
  return new TextDecoder(encoding, { fatal }).decode(bytes).replace(/\r\n?/g, '\n');
}

/**
 * Decodes the bytes of a text file: UTF-8, UTF-16 with or without a byte order mark, and Windows-1252 (a superset of Latin-1) for
 * bytes that are not valid UTF-8.
 *
 * Throws `document_binary` for data that is not text, and `document_encoding` for invalid UTF-16 or an unknown encoding.
 */
export function decodeText(bytes: Uint8Array, path: string): DecodedText {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const declared =
    sample[0] === 0xff && sample[1] === 0xfe
      ? 'utf-16le'
      : sample[0] === 0xfe && sample[1] === 0xff
        ? 'utf-16be'
        : undefined;
  const utf16 = declared ?? guessUtf16(sample);
  if (utf16) {
    try {
      return { text: decodeAs(bytes, utf16, true), encoding: utf16 };
    } catch (cause) {
      throw new ToolError(
        'document_encoding',
        `'${path}' looks like ${utf16.toUpperCase()} but is not valid. Save it as UTF-8.`,
        { cause },
      );
    }
  }
  if (isBinary(sample)) {
    throw new ToolError(
      'document_binary',
      `'${path}' contains binary data, not text. Submit a Markdown, text, PDF, DOCX or HTML file.`,
    );
  }
  try {
    return { text: decodeAs(bytes, 'utf-8', true), encoding: 'utf-8' };
  } catch {
    const text = decodeAs(bytes, 'windows-1252', false);
    const unlikely = text.match(/[\u0080-\u009f\ufffd]/g)?.length ?? 0;
    if (unlikely > text.length * 0.01) {
      throw new ToolError(
        'document_encoding',
        `'${path}' has an unsupported encoding (supported: UTF-8, UTF-16, Windows-1252). Save it as UTF-8.`,
      );
    }
    return { text, encoding: 'windows-1252' };
  }
}
