import { describe, expect, it } from 'vitest';
import { readFinishReason, worseReason } from './answer-end.js';

describe('finish reasons', () => {
  it.each(['stop', 'tool_calls', 'function_call', 'eos', 'end_turn', 'tool_use', 'STOP', undefined])(
    '%s is an end like any',
    (reason) => {
      expect(readFinishReason(reason)).toBe('normal');
    },
  );

  it.each(['length', 'max_tokens', 'MAX_TOKENS', 'model_context_window_exceeded', 'model_length', 'incomplete'])(
    '%s is a cut',
    (reason) => {
      expect(readFinishReason(reason)).toBe('cut');
    },
  );

  it.each(['content_filter', 'SAFETY', 'sensitive', 'PROHIBITED_CONTENT', 'RECITATION', 'refusal'])(
    '%s is a filter',
    (reason) => {
      expect(readFinishReason(reason)).toBe('filtered');
    },
  );

  it.each(['network_error', 'insufficient_system_resource', 'error', 'abort', 'MALFORMED_FUNCTION_CALL'])(
    '%s is an error',
    (reason) => {
      expect(readFinishReason(reason)).toBe('failed');
    },
  );

  it('do not make a cut answer whole by a later stop', () => {
    expect(worseReason('length', 'stop')).toBe('length');
    expect(worseReason('stop', 'length')).toBe('length');
    expect(worseReason(undefined, 'stop')).toBe('stop');
  });
});
