import type { ChatRequest } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { modelProfileSchema } from '../profile/model-profile.js';
import { countRequestTokens, toWireRequest } from './wire-request.js';

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Go' }],
  tools: [{ name: 'list_files', description: 'Lists', parameters: { type: 'object' } }],
  maxOutputTokens: 500,
};
const body = (profile: object = {}, changed: Partial<ChatRequest> = {}, host = '127.0.0.1:8080') =>
  toWireRequest({ ...request, ...changed }, modelProfileSchema.parse({ name: 'test', model: 'm', ...profile }), host);

describe('request body', () => {
  it('contains only what was asked for', () => {
    expect(body()).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Go' }],
      max_tokens: 500,
      tools: [
        { type: 'function', function: { name: 'list_files', description: 'Lists', parameters: { type: 'object' } } },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('omits tools and parallel_tool_calls if there are no tools', () => {
    const keys = Object.keys(body({ parallelCalls: false }, { tools: [] }));
    expect(keys).not.toContain('tools');
    expect(keys).not.toContain('parallel_tool_calls');
    expect(body({ parallelCalls: false })).toMatchObject({ parallel_tool_calls: false });
  });

  it('requests usage only in streams, and not from servers that reject it', () => {
    expect(body({ streaming: false })).not.toHaveProperty('stream_options');
    expect(body({ streamUsage: false })).not.toHaveProperty('stream_options');
  });

  it('uses the parameter name for the output limit that the host expects', () => {
    expect(body({}, {}, 'api.openai.com')).toMatchObject({ max_completion_tokens: 500 });
    expect(body({ maxTokensParameter: 'max_tokens' }, {}, 'api.openai.com')).toMatchObject({ max_tokens: 500 });
  });

  it('never requests more output than the profile allows', () => {
    expect(body({ maxOutputTokens: 100 })).toMatchObject({ max_tokens: 100 });
  });

  it('sends the temperature and the effort of the request, which replace those of the profile', () => {
    expect(body({ temperature: 0.9 }, { temperature: 0, reasoningEffort: 'high' })).toMatchObject({
      temperature: 0,
      reasoning_effort: 'high',
    });
    expect(body({ temperature: 0.9 })).toMatchObject({ temperature: 0.9 });
    const keys = Object.keys(body());
    expect(keys).not.toContain('temperature');
    expect(keys).not.toContain('reasoning_effort');
  });

  it('lets the profile add members but not replace essential ones', () => {
    const extraBody = { reasoning_effort: 'low', model: 'other', stream: false };
    expect(body({ extraBody })).toMatchObject({ reasoning_effort: 'low', model: 'm', stream: true });
  });

  it('counts tools and calls', () => {
    const length = (text: string): number => text.length;
    const withTools = countRequestTokens(body(), length);
    expect(countRequestTokens(body({}, { tools: [] }), length)).toBe('Go'.length + 4);
    expect(withTools).toBeGreaterThan(100);
    const calls = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'a', name: 'list_files', arguments: '{}' }],
    } as const;
    expect(countRequestTokens(body({}, { messages: [...request.messages, calls] }), length)).toBeGreaterThan(
      withTools + 20,
    );
  });
});
