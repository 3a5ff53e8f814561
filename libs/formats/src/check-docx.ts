import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { ToolError } from '@phaseline/contracts';
import { MAX_ARCHIVE_ENTRIES, MAX_NESTING_DEPTH, MAX_INFLATED_BYTES } from './limits.js';
import { yieldOrAbort } from '@phaseline/documents';

const inflate = promisify(inflateRaw);

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly compressed: number;
  readonly headerOffset: number;
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;

/** Reads the directory at the end of a ZIP archive. Returns undefined when it cannot be read. */
function readEntries(zip: Buffer): Entry[] | undefined {
  let end = zip.length - 22;
  while (end >= 0 && end > zip.length - 65_558 && zip.readUInt32LE(end) !== END_OF_DIRECTORY) end -= 1;
  if (end < 0 || zip.readUInt32LE(end) !== END_OF_DIRECTORY) return undefined;
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  const entries: Entry[] = [];
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== DIRECTORY_ENTRY) return undefined;
    const nameLength = zip.readUInt16LE(at + 28);
    entries.push({
      name: zip.toString('utf8', at + 46, at + 46 + nameLength),
      method: zip.readUInt16LE(at + 10),
      encrypted: (zip.readUInt16LE(at + 8) & 1) === 1,
      compressed: zip.readUInt32LE(at + 20),
      headerOffset: zip.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** Inflates one entry up to `limit` bytes. Does not rely on the sizes declared in the archive. */
async function inflateEntry(zip: Buffer, entry: Entry, limit: number): Promise<Buffer | 'too large' | undefined> {
  const at = entry.headerOffset;
  if (at + 30 > zip.length || zip.readUInt32LE(at) !== LOCAL_HEADER) return undefined;
  const from = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const data = zip.subarray(from, from + entry.compressed);
  if (entry.method === 0) return data.length > limit ? 'too large' : data;
  if (entry.method !== 8) return undefined;
  try {
    return await inflate(data, { maxOutputLength: limit });
  } catch (error) {
    return error instanceof RangeError ? 'too large' : undefined;
  }
}

function measureDepth(xml: string): number {
  let depth = 0;
  let deepest = 0;
  for (const tag of xml.matchAll(/<(\/?)[A-Za-z][^<>]*?(\/?)>/g)) {
    if (tag[1]) depth -= 1;
    else if (!tag[2]) deepest = Math.max(deepest, (depth += 1));
  }
  return deepest;
}

/**
 * Checks a DOCX before it is parsed: its type, and that its uncompressed XML is small, is not deeply nested and declares no entities.
 *
 * Throws `document_wrong_type`, `document_encrypted`, `document_malformed`, `document_too_large` or `document_too_deep`.
 */
export async function checkDocx(bytes: Uint8Array, path: string, signal: AbortSignal): Promise<void> {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const buildDamagedError = (): ToolError =>
    new ToolError(
      'document_malformed',
      `'${path}' is a damaged DOCX: its archive cannot be read. Save it again and submit the new file.`,
    );
  const entries = readEntries(zip);
  if (!entries) throw buildDamagedError();
  if (!entries.some((entry) => entry.name === 'word/document.xml')) {
    throw new ToolError(
      'document_wrong_type',
      `'${path}' is a ZIP archive but not a DOCX${guessOtherFormat(entries)}. Unpack or convert it, and submit the documents in it.`,
    );
  }
  const buildTooLargeError = (): ToolError =>
    new ToolError(
      'document_too_large',
      `'${path}' unpacks to more than ${MAX_INFLATED_BYTES / 1024 / 1024} MB of XML, which exceeds the limit. Split it and submit the parts.`,
    );
  if (entries.length > MAX_ARCHIVE_ENTRIES) throw buildTooLargeError();
  let remainingBytes = MAX_INFLATED_BYTES;
  for (const entry of entries.filter(({ name }) => /\.(?:xml|rels)$/i.test(name))) {
    await yieldOrAbort(signal);
    if (entry.encrypted)
      throw new ToolError(
        'document_encrypted',
        `'${path}' is protected by a password. Remove the protection and submit it again.`,
      );
    const content = await inflateEntry(zip, entry, remainingBytes);
    if (content === 'too large') throw buildTooLargeError();
    if (!content) throw buildDamagedError();
    remainingBytes = Math.max(1, remainingBytes - content.length);
    const xml = content.toString('utf8');
    if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw buildDamagedError();
    if (measureDepth(xml) > MAX_NESTING_DEPTH * 4) {
      throw new ToolError('document_too_deep', `'${path}' nests tables or boxes too deeply. Reduce the nesting.`);
    }
  }
}

function guessOtherFormat(entries: readonly Entry[]): string {
  if (entries.some(({ name }) => name.startsWith('xl/'))) return ' (an Excel workbook)';
  if (entries.some(({ name }) => name.startsWith('ppt/'))) return ' (a PowerPoint presentation)';
  if (entries.some(({ name }) => name === 'META-INF/container.xml')) return ' (an EPUB book)';
  if (entries.some(({ name }) => name === 'content.xml')) return ' (an OpenDocument file)';
  return '';
}
