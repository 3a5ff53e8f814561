import mammoth from 'mammoth';
import { ToolError } from '@phaseline/contracts';
import { BlockBuilder, yieldOrAbort, type SourceBlock, type SourceDocument } from '@phaseline/documents';
import { readHtmlInto } from './read-html.js';
import { checkDocx } from './check-docx.js';

/** Style mappings in addition to the built-in ones: the title ranks above all headings, and code styles become code. */
const styleMap = [
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='toc 1'] => nav > p:fresh",
  "p[style-name='toc 2'] => nav > p:fresh",
  "p[style-name='toc 3'] => nav > p:fresh",
  "r[style-name='Code'] => code",
];

/**
 * Reads a DOCX: headings by style, paragraphs, lists, tables, footnotes. A DOCX does not store pages, so locations are paragraphs,
 * counted from 1 and including headings, items and table rows. Images and deleted text of tracked changes are ignored.
 */
export async function readDocx(bytes: Uint8Array, path: string, signal: AbortSignal): Promise<SourceDocument> {
  await checkDocx(bytes, path, signal);
  await yieldOrAbort(signal);
  let html: string;
  try {
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    ({ value: html } = await mammoth.convertToHtml({ buffer }, { styleMap, convertImage, externalFileAccess: false }));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError(
      'document_malformed',
      `'${path}' is a damaged DOCX: ${why}. Save it again and submit the new file.`,
      { cause },
    );
  }
  await yieldOrAbort(signal);
  const builder = new BlockBuilder();
  readHtmlInto(builder, html, { path, firstLine: 1 });
  const blocks = builder.blocks.map((block, i): SourceBlock => ({ ...block, marks: [[0, i + 1]] }));
  return { format: 'docx', blocks, units: blocks.length, notes: [] };
}
