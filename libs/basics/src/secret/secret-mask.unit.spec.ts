import { describe, expect, it } from 'vitest';
import { MaskedStream } from './masked-stream.js';
import { SecretMask } from './secret-mask.js';

const VALUES = ['correct horse/battery+staple', 'x7-Käse "&<>\\ \n\t🔑?', 'a'.repeat(200), '12345678', 'pass12'];

const strictUrl = (value: string): string =>
  [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const unicode = (value: string): string =>
  [...Array(value.length).keys()].map((at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const base64 = (before: string, value: string, after = 'xyz'): string =>
  Buffer.from(`${before}${value}${after}`).toString('base64');

const FORMS: readonly (readonly [string, (value: string) => string])[] = [
  ['plain', (value) => value],
  ['URL-encoded', encodeURIComponent],
  ['URL-encoded byte by byte', strictUrl],
  ['URL-encoded twice', (value) => encodeURIComponent(encodeURIComponent(value))],
  ['form-encoded', (value) => new URLSearchParams({ v: value }).toString()],
  ['in JSON', (value) => JSON.stringify({ v: value })],
  ['in JSON in JSON', (value) => JSON.stringify(JSON.stringify(value))],
  ['in JSON in JSON in JSON', (value) => JSON.stringify(JSON.stringify(JSON.stringify(value)))],
  ['escaped as UTF-16', unicode],
  ['in hexadecimal digits', (value) => Buffer.from(value).toString('hex')],
  ['in capital hexadecimal digits', (value) => Buffer.from(value).toString('hex').toUpperCase()],
  [
    'in separated hexadecimal digits',
    (value) =>
      Buffer.from(value)
        .toString('hex')
        .replace(/..(?=.)/g, '$&:'),
  ],
  ['in base64', (value) => base64('', value, '')],
  ['in base64 behind one byte', (value) => base64('u', value)],
  ['in base64 behind two bytes', (value) => base64('u:', value)],
  ['in base64 behind three bytes', (value) => base64('us:', value)],
  ['in base64 of URLs', (value) => Buffer.from(`:${value}`).toString('base64url')],
  ['in base64 with line breaks', (value) => base64('user:', value).replace(/.{76}/g, '$&\n')],
  ['in base64 with escaped line breaks', (value) => JSON.stringify(base64('user:', value).replace(/.{76}/g, '$&\r\n'))],
  ['in HTML', (value) => value.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`)],
];

describe.each(FORMS)('a secret that is %s', (_name, encode) => {
  it.each(VALUES)('is masked: %j', (value) => {
    const mask = new SecretMask({ TOKEN: value });
    const text = `before ${encode(value)} after`;
    const masked = mask.maskText(text);
    expect(masked).toContain('[TOKEN]');
    expect(masked).toMatch(/^before /);
    expect(masked).toMatch(/ after$/);
    // Nothing of the encoded value is left but the encoding of its neighbours.
    expect(masked.length).toBeLessThan('before  after'.length + '[TOKEN]'.length + 20);
    expect(Buffer.from(mask.maskBytes(Buffer.from(text))).toString()).toBe(masked);
    expect(mask.maskText(masked)).toBe(masked);
  });

  it('is masked wherever a stream is cut into chunks', () => {
    const mask = new SecretMask({ TOKEN: VALUES[1]! });
    const content = Buffer.from(`ä before ${encode(VALUES[1]!)} after`);
    for (let at = 1; at < content.byteLength; at += 1) {
      const stream = new MaskedStream(mask);
      const pieces = [stream.push(content.subarray(0, at)), stream.push(content.subarray(at)), stream.end()];
      expect(Buffer.concat(pieces).toString()).toBe(mask.maskText(content.toString()));
    }
    const stream = new MaskedStream(mask);
    const single = [...content].map((byte) => stream.push(Buffer.of(byte)));
    expect(Buffer.concat([...single, stream.end()]).toString()).toBe(mask.maskText(content.toString()));
  });
});

describe('text without secrets', () => {
  it('stays the same, byte for byte', () => {
    const mask = new SecretMask({ TOKEN: VALUES[0]! });
    const bytes = Buffer.from([...Array(256).keys()]);
    expect(mask.maskBytes(bytes)).toBe(bytes);
    expect(mask.maskText('lone \ud800 surrogate')).toBe('lone \ud800 surrogate');
    const stream = new MaskedStream(mask);
    expect(Buffer.concat([stream.push(bytes), stream.push(bytes), stream.end()])).toEqual(
      Buffer.concat([bytes, bytes]),
    );
  });

  it('is not masked because of a value that is too short', () => {
    expect(new SecretMask({ PIN: '12345' }).isEmpty).toBe(true);
  });
});

it('masks the beginning of a value at which a stream ends', () => {
  const stream = new MaskedStream(new SecretMask({ TOKEN: VALUES[0]! }));
  const cut = [stream.push(Buffer.from(`output: ${VALUES[0]!.slice(0, 12)}`)), stream.end()];
  expect(Buffer.concat(cut).toString()).toBe('output: [TOKEN]');
});

it('masks every text of a JSON value and the names of its members', () => {
  const mask = new SecretMask({ A: 'first-secret', B: 'first-secret-longer' });
  const value = { 'first-secret': ['x first-secret-longer', 1, null, { deep: 'first-secret' }] };
  expect(mask.maskJson(value)).toEqual({ '[A]': ['x [B]', 1, null, { deep: '[A]' }] });
});
