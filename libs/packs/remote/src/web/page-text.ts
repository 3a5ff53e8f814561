import { readDocument, decodeText } from '@phaseline/formats';
import { UNIT_BY_FORMAT, renderReadableText } from '@phaseline/documents';
import { ToolError } from '@phaseline/contracts';
import type { Download } from './download.js';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** File names by content type, from which the documents pack detects the format. */
const fileNames: Readonly<Record<string, string>> = {
  'text/html': 'page.html',
  'application/xhtml+xml': 'page.html',
  'text/markdown': 'page.md',
  'application/pdf': 'page.pdf',
  [DOCX]: 'page.docx',
};
const PLAIN = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|x-yaml|javascript|[\w.-]+\+(?:json|xml)))$/;
/** Longer lines of plain text are wrapped at spaces. */
const MAX_LINE_CHARACTERS = 1_000;

export interface PageText {
  readonly title: string;
  /** One block per line; headings begin with `#`. */
  readonly text: string;
}

/** Returns the text of a download as the documents pack reads it. Throws ToolError `content_type` when it cannot be read as text. */
export async function readPageText(page: Download, signal: AbortSignal): Promise<PageText> {
  const bytes = toUtf8(page);
  const type = page.contentType === '' ? 'text/plain' : page.contentType;
  const name = fileNames[type] ?? (page.contentType === '' && looksLikeHtml(bytes) ? 'page.html' : undefined);
  if (name !== undefined) {
    const document = await readDocument(name, bytes, signal);
    const { text } = renderReadableText(document.blocks, UNIT_BY_FORMAT[document.format]);
    const heading = document.blocks.find((block) => block.kind === 'heading')?.text;
    return { title: readTitle(name, bytes) ?? heading ?? '', text };
  }
  if (!PLAIN.test(type))
    throw new ToolError(
      'content_type',
      `${page.url} has the type ${type}, which cannot be read as text. Use a web page, a PDF or a DOCX.`,
    );
  const { text } = decodeText(bytes, page.url);
  if (text.trim() === '') throw new ToolError('empty', `${page.url} contains no text.`);
  return { title: '', text: wrapLines(formatJson(type, text)) };
}

function toUtf8({ bytes, charset, contentType }: Download): Uint8Array {
  if (charset === undefined || /^utf-?8$/i.test(charset) || !/^text\/|xml|json/.test(contentType)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    // Unknown encoding name: detect the encoding from the bytes instead.
    return bytes;
  }
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(Buffer.from(bytes.subarray(0, 1_000)).toString('latin1'));
}

function readTitle(name: string, bytes: Uint8Array): string | undefined {
  if (name !== 'page.html') return undefined;
  const head = Buffer.from(bytes.subarray(0, 65_536)).toString('utf8');
  const title = /<title[^>]*>([^<]{1,500})/i.exec(head)?.[1];
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
  const plain = title?.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_whole, one: string) => entities[one] ?? '');
  return plain?.replace(/\s+/g, ' ').trim() || undefined;
}

function formatJson(type: string, text: string): string {
  if (!type.endsWith('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function wrapLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) =>
      line.length <= MAX_LINE_CHARACTERS ? line : line.replace(/(.{1,1000})(?:\s|$)|(.{1000})/g, '$1$2\n').trimEnd(),
    )
    .join('\n');
}
