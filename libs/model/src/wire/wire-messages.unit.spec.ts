import type { ChatMessage, ChatToolCall } from '@phaseline/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findConversationProblem, completionRequestSchema } from '@phaseline/rehearsal';
import { toWireMessages } from './wire-messages.js';

const plain = { field: 'reasoning_content', sendBack: 'never' } as const;
const user = (content: string): ChatMessage => ({ role: 'user', content });
const result = (callId: string, content: string): ChatMessage => ({ role: 'tool', callId, content });
const call = (id: string, name = 'read_file', arguments_ = '{}'): ChatToolCall => ({ id, name, arguments: arguments_ });
const answer = (toolCalls: readonly ChatToolCall[], content = '', reasoning?: string): ChatMessage => ({
  role: 'assistant',
  content,
  ...(reasoning === undefined ? {} : { reasoning }),
  ...(toolCalls.length === 0 ? {} : { toolCalls }),
});
const wire = (messages: readonly ChatMessage[]) => toWireMessages(messages, plain);

describe('conversation on the wire', () => {
  it('keeps valid calls and results unchanged', () => {
    const calls = [call('a', 'read_file', '{"path":"x"}'), call('b')];
    expect(wire([user('Go'), answer(calls), result('a', 'A'), result('b', 'B'), answer([], 'Done')])).toEqual([
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } },
          { id: 'b', type: 'function', function: { name: 'read_file', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      { role: 'assistant', content: 'Done' },
    ]);
  });

  it('reports the lost result of a cancelled call', () => {
    const [, , second] = wire([user('Go'), answer([call('a')])]);
    expect(second).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: expect.stringContaining('cancelled') as string,
    });
  });

  it('moves results to their calls, in the order of the calls', () => {
    const messages = wire([answer([call('a'), call('b')]), user('Hurry'), result('b', 'B'), result('a', 'A')]);
    expect(messages.map((message) => message.content)).toEqual([null, 'A', 'B', 'Hurry']);
  });

  it('keeps one result per call and drops results without a call', () => {
    const messages = wire([
      result('x', 'X'),
      answer([call('a')]),
      result('a', 'first'),
      result('a', 'second'),
      result('y', 'Y'),
    ]);
    expect(messages.map((message) => message.content)).toEqual([null, 'first']);
  });

  it('makes repeated ids unique across turns', () => {
    const turn = (content: string): ChatMessage[] => [answer([call('call_1')]), result('call_1', content)];
    const messages = wire([...turn('one'), ...turn('two')]);
    const ids = messages.map((message) => (message.role === 'tool' ? [message.tool_call_id, message.content] : []));
    expect(ids.filter((entry) => entry.length > 0)).toEqual([
      ['call_1', 'one'],
      ['call_1_2', 'two'],
    ]);
  });

  it('does not give a call without a result that of a later call with the same id', () => {
    const messages = wire([answer([call('a')]), answer([call('a')]), result('a', 'second')]);
    expect(messages.map((message) => message.content)).toEqual([
      null,
      expect.stringContaining('lost') as string,
      null,
      'second',
    ]);
  });

  it.each(['{"a":', '[]', 'null', '', '"text"'])('replaces arguments that servers refuse: %j', (broken) => {
    const [message] = wire([answer([call('a', 'read_file', broken)])]);
    expect(message).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });

  it('replaces names that servers refuse', () => {
    const names = ['functions.read file', '', 'x'.repeat(100)];
    const [message] = wire([answer(names.map((name, index) => call(`c${index}`, name)))]);
    const sent =
      message?.role === 'assistant'
        ? message.tool_calls?.map((sentCall) => sentCall.type === 'function' && sentCall.function.name)
        : [];
    expect(sent).toEqual(['functions_read_file', 'unknown', 'x'.repeat(64)]);
  });

  it('never sends null as the content of an answer without calls', () => {
    expect(wire([answer([], '')])).toEqual([{ role: 'assistant', content: '' }]);
  });

  it('joins the leading system messages into one', () => {
    const system = (content: string): ChatMessage => ({ role: 'system', content });
    expect(wire([system('a'), system('b'), user('Go'), system('c')])).toEqual([
      { role: 'system', content: 'a\n\nb' },
      { role: 'user', content: 'Go' },
      { role: 'system', content: 'c' },
    ]);
  });

  it('contains no NUL and no lone surrogate', () => {
    const messages = wire([user('a\0b\ud800'), answer([call('a\0')]), result('a\0', '\udc00')]);
    expect(messages).toMatchObject([
      { content: 'a\uFFFDb\uFFFD' },
      { tool_calls: [{ id: 'a\uFFFD' }] },
      { tool_call_id: 'a\uFFFD', content: '\uFFFD' },
    ]);
  });

  it('is accepted by a strict server for any history', () => {
    const id = fc.constantFrom('', 'a', 'b', 'call_1', 'a_2');
    const text = fc.constantFrom('', 'text', 'a\0\ud800');
    const anyCall = fc.record({
      id,
      name: fc.constantFrom('read_file', '', 'über.alles'),
      arguments: fc.constantFrom('{}', '{"a":1}', '{', 'null'),
    });
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
      fc.record({
        role: fc.constant('assistant' as const),
        content: text,
        toolCalls: fc.array(anyCall, { maxLength: 3 }),
      }),
      fc.record({ role: fc.constant('tool' as const), callId: id, content: text }),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (history) => {
        const messages = wire([user('Go'), ...history]);
        const body = completionRequestSchema.parse({ model: 'rehearsal', messages });
        expect(findConversationProblem(body.messages)).toBeUndefined();
        const ids = messages.flatMap((sent) =>
          sent.role === 'assistant' ? (sent.tool_calls ?? []).map((sentCall) => sentCall.id) : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
        expect(JSON.stringify(messages)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      }),
      { numRuns: 500 },
    );
  });
});

describe('reasoning', () => {
  const history = [
    user('One'),
    answer([call('a')], '', 'old'),
    result('a', 'A'),
    answer([], 'words', 'thoughts'),
    user('Two'),
    answer([call('b')], '', 'new'),
    result('b', 'B'),
    answer([call('c')]),
    result('c', 'C'),
  ];
  const sent = (
    sendBack: 'never' | 'between-calls' | 'with-calls',
    field: 'reasoning' | 'reasoning_content' = 'reasoning',
  ) =>
    toWireMessages(history, { field, sendBack })
      .filter((message) => message.role === 'assistant')
      .map((message) => (message as unknown as Record<string, unknown>)[field]);

  it('is not sent back by default', () => {
    expect(sent('never')).toEqual([undefined, undefined, undefined, undefined]);
    expect(JSON.stringify(toWireMessages(history, plain))).not.toContain('thoughts');
  });

  it('is sent back with the calls of the current turn, or with all calls', () => {
    expect(sent('between-calls')).toEqual([undefined, undefined, 'new', undefined]);
    expect(sent('with-calls', 'reasoning_content')).toEqual(['old', undefined, 'new', '']);
  });
});
