import { reasoningModes, type ReasoningMode } from '@phaseline/contracts';
import { type PhaseState, type TranscriptEntry } from '@phaseline/domain';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildPrompt } from './build-prompt.js';
import { selectResultsToClear } from './clear-results.js';
import { countTokens } from './count-tokens.js';
import { happeningsArbitrary, RandomPhase } from './random-transcript.fixture.js';

const promptOf = (state: PhaseState, reasoning: ReasoningMode = 'never') =>
  buildPrompt({ state, tools: [], workspaceMemory: 'memory', maxOutputTokens: 100, reasoning });

it('builds the same prompt and clears the same results as without the prompts before, also of earlier states', () => {
  fc.assert(
    fc.property(
      happeningsArbitrary,
      fc.constantFrom(...reasoningModes),
      fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      (list, mode, picks) => {
        const phase = new RandomPhase({}, mode);
        const states = [phase.state];
        for (const [index, happening] of list.entries()) {
          phase.happen(happening);
          states.push(phase.state);
          for (const state of [phase.state, states[picks[index]! % states.length]!]) {
            // Nothing is known of a copy: what is known of a phase is found by the objects of its state.
            const copy = structuredClone(state);
            expect(promptOf(state, mode)).toEqual(promptOf(copy, mode));
            expect(selectResultsToClear(state, mode)).toEqual(selectResultsToClear(copy, mode));
          }
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});

it('clears all results but the latest, once they save enough', () => {
  const remark = 15;
  fc.assert(
    fc.property(happeningsArbitrary, (list) => {
      const phase = new RandomPhase();
      for (const happening of list) {
        phase.happen(happening);
        const { conversation, start } = phase.state;
        const { keepResults, clearTokens } = start.terms.context;
        const results = conversation.transcript.flatMap((entry) =>
          entry.kind === 'answer' ? entry.answer.calls.map(({ callId }) => ({ callId, entry })) : [],
        );
        const old = results.slice(0, -keepResults).flatMap(({ callId, entry }) => {
          const isKept = entry.cleared?.includes(callId) || entry.approvalDecisions?.[callId]?.refusalReason;
          const tokens = isKept ? 0 : countTokens(entry.results?.[callId] ?? '');
          return tokens > remark ? [{ callId, saved: tokens - remark }] : [];
        });
        const tokens = old.reduce((sum, { saved }) => sum + saved, 0);
        expect(selectResultsToClear(phase.state)).toEqual(
          tokens >= clearTokens ? { callIds: old.map(({ callId }) => callId), tokens } : undefined,
        );
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

it('does not read the entries of the prompt before', () => {
  const phase = new RandomPhase({ clearTokens: 1_000_000 });
  const step = { kind: 'step', results: [20], refused: false, allowed: false } as const;
  for (let count = 0; count < 20; count += 1) phase.happen(step);
  let reads = 0;
  const watch = (entry: TranscriptEntry): TranscriptEntry =>
    new Proxy(entry, { get: (target, key) => ((reads += 1), target[key as never]) });
  const { transcript } = phase.state.conversation;
  // The results of the last answer are not part of it yet.
  const watched = [...transcript.slice(0, -1).map(watch), transcript.at(-1)!];
  phase.state = { ...phase.state, conversation: { ...phase.state.conversation, transcript: watched } };
  const prepare = (): void => {
    promptOf(phase.state);
    selectResultsToClear(phase.state);
  };
  prepare();
  expect(reads).toBeGreaterThan(0);
  phase.happen(step);
  reads = 0;
  prepare();
  expect(reads).toBe(0);
});
