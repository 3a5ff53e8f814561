import { describe, expect, it } from 'vitest';
import { buildFileHeaders, matchesEtag } from './file-headers.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the headers of a file', () => {
  it('prevent a browser from running what an agent wrote', () => {
    expect(buildFileHeaders('output/page.html', 'ab', bytes('<script>alert(1)</script>'))).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^attachment;/),
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  it.each([
    ['text with umlauts', bytes('Größe 🙂'), 'text/plain; charset=utf-8'],
    ['nothing', bytes(''), 'text/plain; charset=utf-8'],
    ['a NUL', bytes('a\0b'), 'application/octet-stream'],
    ['what is not UTF-8', Uint8Array.of(0x47, 0xfc), 'application/octet-stream'],
  ])('distinguish text from bytes: %s', (_, content, type) => {
    expect(buildFileHeaders('a', 'ab', content)['content-type']).toBe(type);
  });

  it('escape quotes in the file name', () => {
    expect(buildFileHeaders(`output/Größe "x'.md`, 'ab', bytes(''))['content-disposition']).toBe(
      `attachment; filename="Gr__e__x_.md"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%22x%27.md`,
    );
  });

  it('recognise what the caller already has', () => {
    expect(matchesEtag('"ab"', 'ab')).toBe(true);
    expect(matchesEtag('"x", W/"ab"', 'ab')).toBe(true);
    expect(matchesEtag('"abc"', 'ab')).toBe(false);
    expect(matchesEtag(undefined, 'ab')).toBe(false);
  });
});
