import type { LearningTraceRecord } from '@phaseline/client';
import { expect, it } from 'vitest';
import { renderLearningTrace, renderLearningTraces } from './render-learning-traces.js';

const trace: LearningTraceRecord = {
  id: '0189cf00-0000-4000-8000-000000000001',
  tenant: 'default',
  project: 'shop',
  scope: 'job',
  timestamp: '2030-01-02T03:04:05.000006Z',
  jobId: '0189cf00-0000-4000-8000-000000000002' as LearningTraceRecord['jobId'],
  phase: 2,
  position: 77,
  type: 'violation',
  source: 'enforcement_hook',
  action: 'write_file',
  reason: 'guard_denied',
  context: { agent: 'coding-agent', todo: 1, task: 'Write it' },
  event: { happened: 'Called write_file\u001b[2J', why: 'only src' },
};

it('learning traces: one line each', () => {
  const lines = renderLearningTraces([trace], (text) => text, undefined);
  expect(lines.map((line) => line.trimEnd().replace(/ {2,}/g, ' | '))).toEqual([
    'id | time | type | agent | action | reason | happened',
    `${trace.id} | 2030-01-02T03:04:05 | violation | coding-agent | write_file | guard_denied | Called write_file·[2J`,
  ]);
});

it('a learning trace: what is known of it, without control characters', () => {
  expect(renderLearningTrace(trace)).toEqual([
    `id        ${trace.id}`,
    'time      2030-01-02T03:04:05.000006Z',
    `job       ${trace.jobId}, phase 2, position 77`,
    'project   shop (scope: job)',
    'type      violation (write_file, guard_denied; enforcement_hook)',
    'agent     coding-agent',
    'todo      1',
    'task      Write it',
    'happened  Called write_file·[2J',
    'why       only src',
  ]);
});
