import { describe, expect, it } from 'vitest';
import { readFinishReason, selectWorseReason } from './answer-end.js';

describe('finish reason', () => {
  it.each(['stop', 'tool_calls', 'function_call', 'eos', 'end_turn', 'tool_use', 'STOP', undefined])(
    '%s is a normal end',
    (reason) => {
      expect(readFinishReason(reason)).toBe('normal');
    },
  );

  it.each(['length', 'max_tokens', 'MAX_TOKENS', 'model_context_window_exceeded', 'model_length', 'incomplete'])(
    '%s means the answer was cut',
    (reason) => {
      expect(readFinishReason(reason)).toBe('truncated');
    },
  );

  it.each(['content_filter', 'SAFETY', 'sensitive', 'PROHIBITED_CONTENT', 'RECITATION', 'refusal'])(
    '%s means the answer was filtered',
    (reason) => {
      expect(readFinishReason(reason)).toBe('filtered');
    },
  );

  it.each(['network_error', 'insufficient_system_resource', 'error', 'abort', 'MALFORMED_FUNCTION_CALL'])(
    '%s means the answer failed',
    (reason) => {
      expect(readFinishReason(reason)).toBe('failed');
    },
  );

  it('does not turn a cut answer into a complete one when `stop` follows', () => {
    expect(selectWorseReason('length', 'stop')).toBe('length');
    expect(selectWorseReason('stop', 'length')).toBe('length');
    expect(selectWorseReason(undefined, 'stop')).toBe('stop');
  });
});
