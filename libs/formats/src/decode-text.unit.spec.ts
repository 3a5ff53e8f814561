import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.js';

const errorCode = (bytes: Uint8Array): string => {
  try {
    decodeText(bytes, 'a.txt');
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
};

describe('decodeText', () => {
  it('reads UTF-8 and removes the byte order mark, and normalises line ends', () => {
    expect(decodeText(Buffer.from('\ufeffGröße\r\nb\rc'), 'a')).toEqual({ text: 'Größe\nb\nc', encoding: 'utf-8' });
  });

  it.each(['utf16le' as const])(
    'reads UTF-16 with a byte order mark in either order, and detects it without one',
    (encoding) => {
      const little = Buffer.from('\ufeffDie Größe muss stimmen.', encoding);
      expect(decodeText(little, 'a')).toEqual({ text: 'Die Größe muss stimmen.', encoding: 'utf-16le' });
      expect(decodeText(Buffer.from(little).swap16(), 'a').encoding).toBe('utf-16be');
      expect(decodeText(little.subarray(2), 'a').text).toBe('Die Größe muss stimmen.');
    },
  );

  it('falls back to Windows-1252 and reports it', () => {
    const bytes = Buffer.concat([Buffer.from('Die Prüfung muss stimmen: ', 'latin1'), Buffer.from([0x93, 0xfc, 0x94])]);
    const decoded = decodeText(bytes, 'a');
    expect(decoded.encoding).toBe('windows-1252');
    expect(decoded.text).toContain('“ü”');
  });

  it('rejects binary data, truncated UTF-16, and bytes of no known encoding', () => {
    expect(errorCode(Uint8Array.from({ length: 400 }, (_, i) => i % 7))).toBe('document_binary');
    expect(
      errorCode(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('ab', 'utf16le'), Buffer.from([0x61])])),
    ).toBe('document_encoding');
    expect(errorCode(Buffer.from('\x81\x8d\x8f\x90 \x9d\x81 text \x81\x8d', 'latin1'))).toBe('document_encoding');
  });
});
