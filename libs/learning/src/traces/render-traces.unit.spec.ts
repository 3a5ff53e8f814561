import { countTokens } from '@phaseline/context';
import type { EventId, JobId } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import type { LearningTrace } from './learning-trace.js';
import {
  MAX_FULL_TOKENS,
  MAX_METADATA_TOKENS,
  MAX_SUMMARY_TOKENS,
  renderFull,
  renderMetadata,
  renderSummary,
} from './render-traces.js';

function buildTrace(text: string): LearningTrace {
  return {
    id: '0189cf00-0000-4000-8000-000000000001' as EventId,
    tenant: 'default',
    project: 'shop',
    scope: 'job',
    timestamp: '2030-01-02T03:04:05.000006Z',
    jobId: '0189cf00-0000-4000-8000-000000000002' as JobId,
    position: 1,
    type: 'violation',
    source: 'enforcement_hook',
    action: 'write_file',
    reason: 'guard_denied',
    context: { agent: 'a'.repeat(500), task: text },
    event: { happened: text, correct: text, why: text },
  };
}

describe.each([
  ['English', 'The guard denied the call. '],
  ['a text of which each character needs tokens', '鬱𠮷🜁'],
  ['text without spaces', 'x7'],
])('a learning trace in %s', (_, piece) => {
  const trace = buildTrace(piece.repeat(2_000).slice(0, 2_000).toWellFormed());

  it('stays within the tokens of each level', () => {
    expect(countTokens(renderSummary(trace))).toBeLessThanOrEqual(MAX_SUMMARY_TOKENS);
    expect(countTokens(renderFull(trace))).toBeLessThanOrEqual(MAX_FULL_TOKENS);
    expect(countTokens(renderFull(trace))).toBeGreaterThan(countTokens(renderSummary(trace)));
  });

  it('is one line of a list, which has as many as fit', () => {
    const list = renderMetadata(Array.from({ length: 100 }, () => trace));
    expect(countTokens(list)).toBeLessThanOrEqual(MAX_METADATA_TOKENS);
    expect(list.split('\n').length).toBeGreaterThanOrEqual(5);
    expect(list).not.toContain(piece.trim());
  });
});
