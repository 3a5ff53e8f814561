import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { JOB_ID, jobSummary } from '../testing/example-job.js';
import { renderJob, renderJobs, renderOutcome } from './render-job.js';

const paint = createPaint(false);
const now = Date.parse('2025-03-01T12:01:05.000Z');

describe('the list of jobs', () => {
  it('shows full ids for use in scripts', () => {
    expect(renderJobs([jobSummary(), jobSummary({ status: 'completed', phase: undefined })], { paint, now })).toEqual([
      'JOB                                   STATUS       AGE     COST  AGENT    PHASE',
      `${JOB_ID}  running    1 min  $0.0234  creator  2 tactical 1/4 Extract`,
      `${JOB_ID}  completed  1 min  $0.0234  creator`,
    ]);
  });
});

describe('the list of jobs in a narrow terminal', () => {
  const ids = ['01890000-0000-7000-8000-000000000001', '01890000-1000-7000-8000-000000000002'];

  it('shortens ids to distinct prefixes before it cuts the phase', () => {
    const jobs = ids.map((jobId) => jobSummary({ jobId }));
    expect(renderJobs(jobs, { paint, now, columns: 80 })).toEqual([
      'JOB         STATUS     AGE     COST  AGENT    PHASE',
      '01890000-0  running  1 min  $0.0234  creator  2 tactical 1/4 Extract',
      '01890000-1  running  1 min  $0.0234  creator  2 tactical 1/4 Extract',
    ]);
    expect(renderJobs(jobs.slice(0, 1), { paint, now, columns: 80 })[1]).toMatch(/^01890000 {2}running/);
  });

  it('shows full ids if they fit, and with all columns', () => {
    const jobs = [jobSummary({ jobId: ids[0]! })];
    expect(renderJobs(jobs, { paint, now, columns: 120 })[1]).toContain(ids[0]);
    expect(renderJobs(jobs, { paint, now, columns: 80, wide: true })[1]).toContain(ids[0]);
  });
});

describe('the details of a job', () => {
  it('show phase, todos, tool and spending', () => {
    expect(renderJob(jobSummary({ labels: { team: 'red' } }), { paint, now })).toEqual([
      `job       ${JOB_ID}`,
      'agent     creator',
      'status    running',
      'submitted 2025-03-01 12:00:00.000 UTC',
      'running   1:05',
      'labels    team=red',
      'phase     2 tactical (execute): Extract',
      `todos     ${'█'.repeat(4)}${'░'.repeat(12)} 1/4`,
      'tool      chunk_document',
      'used      14 steps · 12k tokens in (75 % cached) · 800 out · $0.0234',
    ]);
  });

  it('show what it waits for, for how long, and the problem if there is one', () => {
    const waitsFor = {
      kind: 'message' as const,
      description: 'a worker of the queue tactical to take phase 2',
      since: '2025-03-01T12:00:05.000Z',
      problem: 'no message for it is queued',
    };
    const lines = renderJob(jobSummary({ waitsFor }), { paint, now });
    expect(lines).toContain('waits for a worker of the queue tactical to take phase 2, for 1 min');
    expect(lines).toContain('          no message for it is queued');
  });

  it('show duration and result of a job that has ended', () => {
    const lines = renderJob(
      jobSummary({
        status: 'completed',
        phase: undefined,
        endedAt: '2025-03-01T12:00:20.000Z',
        result: { summary: '12 requirements', deliverables: ['output/requirements.json'], confidence: 0.9, notes: '' },
      }),
      { paint, now },
    );
    expect(lines).toContain('took      0:20');
    expect(lines).toContain('result    12 requirements');
    expect(lines).toContain('files     output/requirements.json');
    expect(lines).toContain('confidence 90 %');
  });

  it('show reason and code of a failed job', () => {
    const job = jobSummary({
      status: 'failed',
      failure: { code: 'phase_limit', message: 'the job used its 60 phases' },
    });
    expect(renderJob(job, { paint, now })).toContain('reason    the job used its 60 phases (phase_limit)');
    expect(renderOutcome(job, paint)).toEqual(['failed: the job used its 60 phases (phase_limit)']);
  });

  it('contain no control characters from the agent', () => {
    const evil = 'x\u001b[2J';
    const job = jobSummary({
      agent: evil,
      labels: { k: evil },
      failure: { code: evil, message: evil },
      result: { summary: evil, deliverables: [evil], confidence: 1, notes: evil },
    });
    expect(
      [...renderJob(job, { paint, now }), ...renderOutcome(job, paint), ...renderJobs([job], { paint, now })].join(''),
    ).not.toContain('\u001b');
  });
});
