import { describe, expect, it } from 'vitest';
import { parseArguments, toUnfinishedArguments } from './call-arguments.js';

const text = (arguments_: string) => parseArguments({ text: arguments_, value: undefined });

describe('call arguments', () => {
  it.each(['', '  \n', 'null', '{}'])('treat %j as no arguments', (given) => {
    expect(text(given)).toEqual({ kind: 'parsed', value: {} });
  });

  it.each(['{"a":1', '[1]', '"a"', '7', 'true', '{"a":1}{"b":2}', '{a:1}'])('reject %j', (given) => {
    expect(text(given)).toMatchObject({ kind: 'malformed', text: given });
  });

  it('keep a member named __proto__ as a plain member', () => {
    const parsed = text('{"__proto__":{"polluted":true},"a":1}');
    expect(parsed.kind === 'parsed' && Object.keys(parsed.value)).toEqual(['__proto__', 'a']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('reject nesting deep enough to overflow the stack', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(text(deep)).toMatchObject({ kind: 'malformed', problem: 'nested more than 64 deep' });
  });

  it('reject a number that cannot be serialised as JSON', () => {
    expect(text('{"n":1e999}')).toMatchObject({ kind: 'malformed', problem: 'a number is out of range' });
  });

  it('contain no NUL and no lone surrogate, not even in keys', () => {
    expect(text('{"k\\u0000":["a\\u0000b","\\udc00"]}')).toEqual({
      kind: 'parsed',
      value: { 'k\uFFFD': ['a\uFFFDb', '\uFFFD'] },
    });
    expect(parseArguments({ text: '', value: { k: 'a\0' } })).toEqual({ kind: 'parsed', value: { k: 'a\uFFFD' } });
  });

  it('are malformed in an unfinished answer, even if they parse', () => {
    expect(toUnfinishedArguments({ text: '{"a":1}', value: undefined })).toMatchObject({
      kind: 'malformed',
      text: '{"a":1}',
    });
    expect(toUnfinishedArguments({ text: '', value: { a: 1 } })).toMatchObject({ kind: 'malformed', text: '{"a":1}' });
  });
});
