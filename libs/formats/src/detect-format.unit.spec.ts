import { describe, expect, it } from 'vitest';
import { detectFormat } from './detect-format.js';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const png = bytes('\x89PNG\r\n\x1a\n');

function getError(path: string, content: Uint8Array): { code?: string; message: string } {
  try {
    detectFormat(path, content);
  } catch (error) {
    return error as { code?: string; message: string };
  }
  throw new Error('was accepted');
}

describe('detectFormat', () => {
  it.each([
    ['a.md', '# Title', 'markdown'],
    ['a.MARKDOWN', 'text', 'markdown'],
    ['a.txt', 'text', 'text'],
    ['a.htm', '<!DOCTYPE html><p>x', 'html'],
    ['a.html', 'x <b>y</b>', 'html'],
    ['a.pdf', '%PDF-1.7\n', 'pdf'],
    ['a.pdf', '\r\n%PDF-1.4\n', 'pdf'],
    ['a.docx', 'PK\x03\x04rest', 'docx'],
    ['README', 'plain words', 'text'],
    ['page', '<html><body>', 'html'],
    ['scan', '%PDF-1.4', 'pdf'],
  ])('detects the format of %s from name and content', (path, content, format) => {
    expect(detectFormat(path, bytes(content))).toBe(format);
  });

  it.each([
    ['text named PDF', 'a.pdf', bytes('hello')],
    ['a PDF named Markdown', 'a.md', bytes('%PDF-1.4')],
    ['a web page named DOCX', 'a.docx', bytes('<html>')],
    ['a web page named text', 'a.txt', bytes('<!doctype html><html>')],
    ['an image named PDF', 'a.pdf', png],
    ['an archive named text', 'a.txt', bytes('PK\x03\x04')],
    ['plain text named HTML', 'a.html', bytes('a < b, but no tags')],
    ['an old Word file named DOCX', 'a.docx', bytes('\xd0\xcf\x11\xe0 WordDocument')],
  ])('rejects %s', (_, path, content) => {
    const { code, message } = getError(path, content);
    expect(code).toBe('document_wrong_type');
    expect(message).toContain('wrong file name extension');
  });

  it.each([
    ['an unsupported type', 'a.xlsx', bytes('PK\x03\x04')],
    ['an old Word file', 'a.doc', bytes('\xd0\xcf\x11\xe0')],
    ['an image without an extension', 'picture', png],
  ])('rejects %s and lists the supported types', (_, path, content) => {
    const { code, message } = getError(path, content);
    expect(code).toBe('document_unsupported');
    expect(message).toMatch(/\.docx/);
  });

  it('distinguishes a password-protected DOCX from an old Word file', () => {
    const content = new Uint8Array(
      Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.from('EncryptedPackage', 'utf16le')]),
    );
    expect(getError('a.docx', content).code).toBe('document_encrypted');
  });
});
