import { ToolError } from '@phaseline/contracts';
import type { DocumentFormat } from '@phaseline/documents';

/** Type of a file according to its first bytes. `zip` and `ole` are containers for several formats. */
type Content = 'pdf' | 'zip' | 'ole' | 'html' | 'text' | { foreign: string };

const extensions: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown', markdown: 'markdown', mdown: 'markdown', mkd: 'markdown',
  txt: 'text', text: 'text', rst: 'text', adoc: 'text', asciidoc: 'text', log: 'text',
  html: 'html', htm: 'html', xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx', docm: 'docx',
}; // prettier-ignore

const formatNames: Readonly<Record<DocumentFormat, string>> = {
  markdown: 'Markdown', text: 'plain text', html: 'HTML', pdf: 'PDF', docx: 'DOCX',
}; // prettier-ignore

const signatures: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a 7-Zip archive', [0x37, 0x7a, 0xbc, 0xaf]],
  ['a RAR archive', [0x52, 0x61, 0x72, 0x21]],
  ['an executable', [0x7f, 0x45, 0x4c, 0x46]],
  ['an executable', [0x4d, 0x5a, 0x90]],
  ['RTF', [0x7b, 0x5c, 0x72, 0x74, 0x66]],
  ['PostScript', [0x25, 0x21, 0x50, 0x53]],
];

const SUPPORTED = 'Markdown (.md), plain text (.txt), PDF (.pdf), DOCX (.docx) or HTML (.html)';

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}

function sniffContent(bytes: Uint8Array): Content {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  // Other bytes may precede the header of a PDF; readers search for it in the first kilobyte.
  if (/^[^a-z]{0,64}%PDF-\d/.test(head) || head.startsWith('%PDF-')) return 'pdf';
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06])) return 'zip';
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) return 'ole';
  const foreign = signatures.find(([, signature]) => startsWith(bytes, signature));
  if (foreign) return { foreign: foreign[0] };
  if (
    /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html[\s>])/i.test(
      head.replaceAll('\0', ''),
    )
  )
    return 'html';
  return 'text';
}

function getExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

function describeContent(content: Content): string {
  if (typeof content === 'object') return content.foreign;
  return {
    pdf: 'a PDF',
    zip: 'a ZIP archive',
    ole: 'an old or encrypted Office file',
    html: 'HTML',
    text: 'plain text',
  }[content];
}

/**
 * Detects the format of a document from its name and its first bytes; without an extension, from the bytes alone.
 *
 * Throws `document_wrong_type` when name and content contradict each other, `document_unsupported` for other types, and
 * `document_encrypted` for a password-protected Office file.
 */
export function detectFormat(path: string, bytes: Uint8Array): DocumentFormat {
  const extension = getExtension(path);
  const named = extensions[extension];
  const content = sniffContent(bytes);
  const buildWrongTypeError = (): ToolError =>
    new ToolError(
      'document_wrong_type',
      `'${path}' has the wrong file name extension: the name says ${named ? formatNames[named] : `'.${extension}'`}, the content is ${describeContent(content)}. ` +
        `Correct the file name, or convert the file to ${SUPPORTED}.`,
    );

  if (content === 'ole') {
    if (Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
      throw new ToolError(
        'document_encrypted',
        `'${path}' is protected by a password. Remove the protection and submit it again.`,
      );
    }
    if (named) throw buildWrongTypeError();
    throw new ToolError(
      'document_unsupported',
      `'${path}' is an Office file in the old binary format. Save it as .docx or PDF.`,
    );
  }
  if (extension !== '' && !named) {
    throw new ToolError(
      'document_unsupported',
      `Documents of the type '.${extension}' are not supported. Convert '${path}' to ${SUPPORTED}.`,
    );
  }
  if (typeof content === 'object') {
    if (named) throw buildWrongTypeError();
    throw new ToolError('document_unsupported', `'${path}' is ${content.foreign}. Give ${SUPPORTED}.`);
  }
  if (content === 'pdf' || content === 'zip') {
    const format = content === 'pdf' ? 'pdf' : 'docx';
    if (named && named !== format) throw buildWrongTypeError();
    return format;
  }
  if (named === 'pdf' || named === 'docx') throw buildWrongTypeError();
  if (content === 'html' && (named === 'markdown' || named === 'text')) throw buildWrongTypeError();
  if (
    content === 'text' &&
    named === 'html' &&
    !/<[a-z][a-z0-9]*[\s/>]/i.test(Buffer.from(bytes.subarray(0, 65_536)).toString('latin1').replaceAll('\0', ''))
  ) {
    throw buildWrongTypeError();
  }
  return named ?? (content === 'html' ? 'html' : 'text');
}
