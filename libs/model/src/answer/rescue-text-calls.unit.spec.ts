import type { ToolDefinition } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { rescueTextCalls } from './rescue-text-calls.js';

const tools: readonly ToolDefinition[] = [
  {
    name: 'write_file',
    description: '',
    parameters: { type: 'object', properties: { path: { type: 'string' }, lines: { type: 'integer' } } },
  },
];
const rescue = (content: string) => rescueTextCalls(content, tools);
const call = (value: unknown) => ({ id: '', name: 'write_file', text: '', value });

describe('calls written as text', () => {
  it('are extracted one by one, and the surrounding words stay', () => {
    const one = (path: string): string => `<tool_call>{"name":"write_file","arguments":{"path":"${path}"}}</tool_call>`;
    expect(rescue(`First ${one('a')} then ${one('b')}.`)).toEqual({
      content: 'First  then .',
      calls: [call({ path: 'a' }), call({ path: 'b' })],
    });
  });

  it('may lack the last closing tag if their JSON is complete', () => {
    expect(rescue('<tool_call>\n{"name":"write_file","parameters":{"path":"a"}}\n').calls).toEqual([
      call({ path: 'a' }),
    ]);
    expect(rescue('<tool_call>{"name":"write_file","arguments":{"path":"a"}').calls).toEqual([]);
  });

  it('may have arguments as text', () => {
    const { calls } = rescue('<tool_call>{"name":"write_file","arguments":"{\\"path\\":\\"a\\"}"}</tool_call>');
    expect(calls).toEqual([{ id: '', name: 'write_file', text: '{"path":"a"}', value: undefined }]);
  });

  it('may use the tag format, with or without a surrounding tag', () => {
    const xml = '<function=write_file><parameter=path>1</parameter>\n<parameter=lines>\n2\n</parameter></function>';
    expect(rescue(xml).calls).toEqual([call({ path: '1', lines: 2 })]);
    expect(rescue(`<tool_call>${xml}</tool_call>`).calls).toEqual([call({ path: '1', lines: 2 })]);
  });

  it('are not extracted if the closing tag is missing, because parameters could be lost', () => {
    const cut = '<tool_call><function=write_file><parameter=path>1</parameter><parameter=lines>';
    expect(rescue(cut)).toEqual({ content: cut, calls: [] });
  });

  it.each([
    'no call at all',
    '<tool_call>{"name":"drop_all","arguments":{}}</tool_call>',
    '<tool_call>not JSON</tool_call>',
    '<tool_call>[]</tool_call>',
    '<tool_call>{"arguments":{}}</tool_call>',
    '<function=drop_all></function>',
  ])('are not found in %j', (content) => {
    expect(rescue(content)).toEqual({ content, calls: [] });
  });

  it.each([
    '<tool_call>',
    '<function=write_file>',
    '<tool_call><function=write_file><parameter=path>',
    '<tool_call>{\n',
  ])('do not hang on %j, repeated', (piece) => {
    const content = piece.repeat(50_000);
    expect(rescue(content)).toEqual({ content, calls: [] });
  });
});
