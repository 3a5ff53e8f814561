import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { JOB_ID, jobSummary } from '../testing/example-job.js';
import { renderDemoResult, type DemoResult } from './demo-result.js';

const result: DemoResult = {
  job: jobSummary({
    status: 'completed',
    phase: undefined,
    result: { summary: 'Found 42 requirements.', deliverables: [], confidence: 1, notes: '' },
  }),
  model: 'rehearsal',
  isRehearsal: true,
  phases: { strategic: 3, tactical: 2 },
  folder: '/home/workspaces/job_x',
  isMirrored: true,
  files: [
    { path: 'output/requirements.json', localPath: '/home/workspaces/job_x/output/requirements.json', size: 10_000 },
    { path: 'output/summary.md', localPath: '/home/workspaces/job_x/output/summary.md', size: 500 },
  ],
  requirements: { localPath: '/home/workspaces/job_x/output/requirements.json', count: 42 },
  audit: { passed: true, streams: 6, events: 420, problems: [], problemCount: 0 },
  positions: { first: 100, last: 900 },
  elapsedMs: 17_240,
};

describe('the summary of a demo', () => {
  it('shows the results, their location, the cost and the outcome of the audit', () => {
    expect(renderDemoResult(result, { paint: createPaint(false) })).toEqual([
      '✓ Job completed after 3 strategic phases and 2 tactical phases, 17.2 s in total.',
      '  Found 42 requirements.',
      '',
      '  Requirements  42 requirements in /home/workspaces/job_x/output/requirements.json',
      '  Also          output/summary.md (500 B)',
      '  Files         /home/workspaces/job_x',
      '  Cost          12k tokens in (9000 of them cached), 800 out, 14 model calls: $0.0234 at the prices of the model profile',
      '                The rehearsal model follows a script: no language model was called and nothing is charged.',
      '                The tools extracted the requirements. Set OPENAI_BASE_URL and OPENAI_API_KEY to use a real model.',
      '  Audit         ✓ audit verify passed: 420 events in 6 streams recomputed, all hashes match',
      '',
      'To explore the job, start the system again (npm start) and run in another terminal:',
      `  npx phaseline events ${JOB_ID}`,
      `  npx phaseline state ${JOB_ID} --at 500`,
      `  npx phaseline files list ${JOB_ID}`,
    ]);
  });

  it('lists the deliverables of an agent that extracts no requirements', () => {
    const { requirements: _none, ...other } = result;
    const lines = renderDemoResult(other, { paint: createPaint(false) });
    expect(lines.slice(3, 5)).toEqual([
      '  Delivered     output/requirements.json (9.77 KiB)',
      '                output/summary.md (500 B)',
    ]);
    expect(lines.join('\n')).not.toContain('extracted the requirements');
  });

  it('shows what became of each feature, and why one is blocked', () => {
    const features = [
      { id: 'search', status: 'tested', attempts: 1, reason: 'nothing was found' },
      { id: 'due-dates', status: 'blocked', attempts: 2, reason: 'a date\u001b[2J is wrong' },
    ];
    const lines = renderDemoResult({ ...result, features }, { paint: createPaint(false) });
    expect(lines.slice(3, 5)).toEqual([
      '  Features      ✓ search tested after 1 failed attempt',
      '                ✗ due-dates blocked after 2 failed attempts: a date·[2J is wrong',
    ]);
  });

  it('does not call a real model scripted', () => {
    expect(renderDemoResult({ ...result, isRehearsal: false }, { paint: createPaint(false) }).join('\n')).not.toContain(
      'follows a script',
    );
  });

  it('says if the files are not in the mirror', () => {
    const lines = renderDemoResult({ ...result, isMirrored: false }, { paint: createPaint(false) });
    expect(lines.join('\n')).toContain('Pulled from the log');
  });

  it('shows why a job failed and where its files are', () => {
    const { requirements: _none, ...rest } = result;
    const failed: DemoResult = {
      ...rest,
      files: [],
      job: jobSummary({
        status: 'failed',
        failure: { code: 'denied_calls', message: 'too many calls could not be run' },
      }),
    };
    const lines = renderDemoResult(failed, { paint: createPaint(false) });
    expect(lines[0]).toContain('✗ Job failed');
    expect(lines[1]).toBe('  too many calls could not be run (denied_calls)');
    expect(lines).toContain('  Files         /home/workspaces/job_x');
  });

  it('shows that the audit failed', () => {
    const audit = {
      ...result.audit,
      passed: false,
      problems: [{ streamId: 'job-x', version: 3, kind: 'altered', detail: 'the hash does not match' }],
      problemCount: 1,
    };
    expect(renderDemoResult({ ...result, audit }, { paint: createPaint(false) }).join('\n')).toContain(
      '✗ audit verify failed: 1 problem in 420 events',
    );
  });
});
