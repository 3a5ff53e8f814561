import { foldPhase, type LastAttempt, type PhaseEvent } from '@phaseline/domain';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { describe, expect, it } from 'vitest';
import { buildPrompt } from '../build-prompt.js';
import { MAX_REFLEXION_TOKENS } from './reflexion-part.js';

const attempt: LastAttempt = {
  ...{ phase: 1, kind: 'phase', task: 'Extract', reason: 'it failed' },
  ...{ calls: [], files: ['a.md'], tests: [] },
};

function answer(part: 'assumption' | 'prevention', text: string, refused?: string): PhaseEvent {
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  const measured = { step: 1, model: 'm', usage, costMicroUsd: 0, durationMs: 0 };
  return {
    type: 'ReflectionRecorded',
    data: { part, text, ...(refused === undefined ? {} : { refused }), ...measured },
  };
}

function promptAfter(answers: readonly PhaseEvent[], reason = attempt.reason) {
  const start = buildPhaseStart({ terms: { reflexion: true }, plan: { lastAttempt: { ...attempt, reason } } });
  return buildPrompt({
    state: foldPhase([start, ...answers])!,
    tools: [],
    workspaceMemory: undefined,
    maxOutputTokens: 100,
  });
}

describe('the section with the reflection', () => {
  it.each([
    ['words', 'look at a.md first '],
    ['text without spaces, of which a character is a token or more', '\u{1F9F7}\u9f98'],
  ])('has at most its tokens, and something of each text, with long %s', (_name, piece) => {
    const long = piece.repeat(2_000);
    const { ledger, request } = promptAfter(
      [answer('assumption', long), answer('prevention', long)],
      piece.repeat(100),
    );
    expect(ledger.reflexion).toBeLessThanOrEqual(MAX_REFLEXION_TOKENS);
    expect(ledger.reflexion).toBeGreaterThan(MAX_REFLEXION_TOKENS * 0.8);
    const { content } = request.messages[2]!;
    expect(content.split(piece.slice(0, 2)).length).toBeGreaterThan(3);
    for (const label of ['It failed: ', 'The assumption that failed: ', 'How to prevent it: '])
      expect(content).toContain(`${label}${piece.slice(0, 2)}`);
  });

  it('is absent while the reflection is incomplete, and if it is refused or skipped', () => {
    const skipped: PhaseEvent = {
      type: 'ReflectionSkipped',
      data: { part: 'prevention', code: 'cost_limit', message: 'too expensive' },
    };
    const first = answer('assumption', 'a.md exists');
    for (const answers of [[], [first], [first, skipped], [first, answer('prevention', 'care', 'it names nothing')]])
      expect(promptAfter(answers).hash).toBe(promptAfter([]).hash);
    expect(promptAfter([first, answer('prevention', 'read it')]).hash).not.toBe(promptAfter([]).hash);
  });
});
