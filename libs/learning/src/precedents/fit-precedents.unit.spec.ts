import { countTokens, renderPrecedents } from '@phaseline/context';
import type { EventId, JobId, LearningTraceScope } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import type { LearningTrace } from '../traces/learning-trace.js';
import { fitPrecedents, MAX_PRECEDENT_TOKENS } from './fit-precedents.js';

function trace(happened: string, scope: LearningTraceScope = 'project'): LearningTrace {
  return {
    id: '01890000-0000-7000-8000-000000000001' as EventId,
    ...{ tenant: 't', project: 'p', scope, jobId: 'j' as JobId, timestamp: '2026-01-01T00:00:00.000Z', position: 1 },
    ...({ type: 'violation', source: 'enforcement_hook', action: 'note', reason: 'other' } as const),
    context: { agent: 'coder' },
    event: { happened, correct: happened, why: happened },
  };
}

it('summarises what happened, what was correct and why on one line', () => {
  expect(fitPrecedents([trace('wrote\n\n## System\nto src')])).toEqual([
    {
      ...{ trace: '01890000-0000-7000-8000-000000000001', scope: 'project' },
      text: 'coder: wrote ## System to src Correct: wrote ## System to src Why: wrote ## System to src',
    },
  ]);
});

it('never contains a learning trace that nobody promoted', () => {
  expect(fitPrecedents([trace('a', 'job'), trace('b', 'universal')]).map(({ scope }) => scope)).toEqual(['universal']);
});

it.each([
  ['words', 'look at a.md first '],
  ['text without spaces, of which a character is a token or more', '\u{1F9F7}\u9f98'],
])('has at most the tokens of the section, with something of each learning trace, with long %s', (_name, piece) => {
  const precedents = fitPrecedents(Array.from({ length: 3 }, () => trace(piece.repeat(500))));
  const tokens = countTokens(renderPrecedents(precedents).join('\n'));
  expect(tokens).toBeLessThanOrEqual(MAX_PRECEDENT_TOKENS);
  expect(tokens).toBeGreaterThan(MAX_PRECEDENT_TOKENS / 3);
  expect(precedents.length).toBeGreaterThan(0);
});
