import { describe, expect, it } from 'vitest';
import { parseArguments, unfinishedArguments } from './call-arguments.js';

const text = (arguments_: string) => parseArguments({ text: arguments_, value: undefined });

describe('arguments of a call', () => {
  it.each(['', '  \n', 'null', '{}'])('take %j for none', (given) => {
    expect(text(given)).toEqual({ kind: 'parsed', value: {} });
  });

  it.each(['{"a":1', '[1]', '"a"', '7', 'true', '{"a":1}{"b":2}', '{a:1}'])('do not run %j', (given) => {
    expect(text(given)).toMatchObject({ kind: 'malformed', text: given });
  });

  it('keep a member named __proto__ a plain member', () => {
    const parsed = text('{"__proto__":{"polluted":true},"a":1}');
    expect(parsed.kind === 'parsed' && Object.keys(parsed.value)).toEqual(['__proto__', 'a']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('refuse a depth that would overflow whoever walks them', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(text(deep)).toMatchObject({ kind: 'malformed', problem: 'nested more than 64 deep' });
  });

  it('refuse a number that JSON cannot write again', () => {
    expect(text('{"n":1e999}')).toMatchObject({ kind: 'malformed', problem: 'a number is out of range' });
  });

  it('hold no NUL and no half of a surrogate pair, in keys neither', () => {
    expect(text('{"k\\u0000":["a\\u0000b","\\udc00"]}')).toEqual({ kind: 'parsed', value: { k: ['ab', '\uFFFD'] } });
    expect(parseArguments({ text: '', value: { k: 'a\0' } })).toEqual({ kind: 'parsed', value: { k: 'a' } });
  });

  it('are not run out of an unfinished answer, even where they parse', () => {
    expect(unfinishedArguments({ text: '{"a":1}', value: undefined })).toMatchObject({
      kind: 'malformed',
      text: '{"a":1}',
    });
    expect(unfinishedArguments({ text: '', value: { a: 1 } })).toMatchObject({ kind: 'malformed', text: '{"a":1}' });
  });
});
