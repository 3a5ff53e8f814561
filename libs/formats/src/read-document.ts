import { isBlankText } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { decodeText } from './decode-text.js';
import { detectFormat } from './detect-format.js';
import { MAX_DOCUMENT_BYTES, MAX_LINE_CHARACTERS, MAX_TEXT_BYTES } from './limits.js';
import type { SourceDocument } from '@phaseline/documents';

/** Formats a size in bytes: in mebibytes, a size just above the limit would look the same as the limit. */
const formatBytes = (bytes: number): string => `${bytes.toLocaleString('en-US')} bytes`;
const formatLimit = (bytes: number): string => `${formatBytes(bytes)} (${bytes / 1024 / 1024} MiB)`;

/** Checks the size of a document before it is loaded. Throws `document_empty` or `document_too_large`. */
export function checkSize(path: string, bytes: number): void {
  if (bytes === 0) throw new ToolError('document_empty', `'${path}' is empty (0 bytes). Submit the document again.`);
  if (bytes > MAX_DOCUMENT_BYTES) {
    throw new ToolError(
      'document_too_large',
      `'${path}' has ${formatBytes(bytes)}; the maximum is ${formatLimit(MAX_DOCUMENT_BYTES)}. Split it and submit the parts.`,
    );
  }
}

/**
 * Reads a document of any supported format into blocks with their locations.
 *
 * Throws a ToolError whose code starts with `document_` and whose message says what the user can do.
 */
export async function readDocument(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<SourceDocument> {
  checkSize(path, bytes.length);
  const document = await readFormat(path, bytes, signal);
  if (document.blocks.length === 0) {
    throw new ToolError('document_empty', `'${path}' contains no text. Submit a document with text.`);
  }
  return document;
}

function checkLines(path: string, text: string): void {
  for (let from = 0, line = 1; from < text.length; line += 1) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from > MAX_LINE_CHARACTERS) {
      throw new ToolError(
        'document_malformed',
        `Line ${line} of '${path}' has ${to - from} characters; the maximum is ${MAX_LINE_CHARACTERS}. Wrap the line.`,
      );
    }
    from = to + 1;
  }
}

/** Detects the format and reads the document. Parsers are loaded on first use, because most processes never need them. */
async function readFormat(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<SourceDocument> {
  const format = detectFormat(path, bytes);
  if (format === 'pdf') return (await import('./read-pdf.js')).readPdf(bytes, path, signal);
  if (format === 'docx') return (await import('./read-docx.js')).readDocx(bytes, path, signal);
  if (bytes.length > MAX_TEXT_BYTES) {
    throw new ToolError(
      'document_too_large',
      `'${path}' has ${formatBytes(bytes.length)} of text; the maximum is ${formatLimit(MAX_TEXT_BYTES)}. Split it and submit the parts.`,
    );
  }
  const { text: decoded, encoding } = decodeText(bytes, path);
  // Embedded images in Markdown are lines of megabytes without any text.
  const text =
    format === 'markdown' ? decoded.replace(/\bdata:[\w/+.-]{1,100};base64,[A-Za-z0-9+/=]{64,}/g, 'data:,') : decoded;
  if (isBlankText(text))
    throw new ToolError(
      'document_empty',
      `'${path}' contains only whitespace and invisible characters. Submit the document again.`,
    );
  if (format !== 'html') checkLines(path, text);
  const document = await parseText(format, text, path, signal);
  const note =
    encoding === 'windows-1252' ? ['The text is not valid UTF-8; it was read as Windows-1252 (Latin-1).'] : [];
  return { ...document, encoding, notes: [...note, ...document.notes] };
}

async function parseText(
  format: 'markdown' | 'html' | 'text',
  text: string,
  path: string,
  signal: AbortSignal,
): Promise<SourceDocument> {
  if (format === 'markdown') return (await import('./read-markdown.js')).readMarkdown(text, path, signal);
  if (format === 'html') return (await import('./read-html.js')).readHtml(text, path, signal);
  return (await import('./read-text.js')).readText(text, signal);
}
