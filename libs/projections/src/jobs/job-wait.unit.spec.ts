import { DELEGATE } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { foldJobView } from './evolve-job-view.js';
import {
  buildJobSubmitted,
  buildToolCallCompleted,
  buildToolCallRequested,
  decideFirstPhase,
  SpecLog,
} from './job-log.fixture.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const submitted = buildJobSubmitted(jobId);
const { dispatched, started } = decideFirstPhase(submitted);

/** Returns what the job waits for after each event, without the events that change nothing about it. */
function listWaits({ events }: SpecLog): readonly unknown[] {
  const waits: unknown[] = [];
  for (let count = 1; count <= events.length; count += 1) {
    const wait = foldJobView(events.slice(0, count))?.wait;
    const at = wait && events.findIndex(({ recordedAt }) => recordedAt === wait.since);
    const seen = wait ? `${wait.kind} since event ${at}` : 'nothing';
    if (waits.at(-1) !== seen) waits.push(seen);
  }
  return waits;
}

describe('what a job waits for', () => {
  it('is the orchestrator, then a worker, which also runs tools, and a person while it is paused', () => {
    const log = new SpecLog(jobId)
      .job(submitted, dispatched)
      .phase(1, started, buildToolCallRequested('a'), buildToolCallCompleted('a'))
      .job({ type: 'JobPaused', data: { actor: 'ada', reason: '', pausedAt: '2030-01-01T00:00:00.000Z' } })
      .job({ type: 'JobResumed', data: { actor: 'ada', reason: '' } });
    expect(listWaits(log)).toEqual([
      'orchestrator since event 0',
      'worker since event 1',
      'pause since event 5',
      'worker since event 6',
    ]);
  });

  it('is a child job while the first open call delegates', () => {
    const log = new SpecLog(jobId)
      .job(submitted, dispatched)
      .phase(1, started, buildToolCallRequested('a'), buildToolCallRequested('b', DELEGATE))
      .phase(1, buildToolCallCompleted('a'), buildToolCallCompleted('b'));
    expect(listWaits(log)).toEqual([
      'orchestrator since event 0',
      'worker since event 1',
      'child since event 5',
      'worker since event 6',
    ]);
  });

  it('is a person for a blocked todo and after a blocked end, and nothing after another end', () => {
    const blocked = new SpecLog(jobId)
      .job(submitted, dispatched)
      .phase(1, started, { type: 'TodoBlocked', data: { todoId: 1, reason: 'No access.', callId: 'b' } })
      .job({ type: 'JobFailed', data: { code: 'c', message: 'm', end: 'blocked' } });
    expect(listWaits(blocked).slice(2)).toEqual(['todo since event 3', 'blocked since event 4']);
    const failed = new SpecLog(jobId)
      .job(submitted, dispatched)
      .job({ type: 'JobCancelRequested', data: { actor: 'ada', reason: '' } })
      .job({ type: 'JobCancelled', data: { actor: 'ada', reason: 'r' } });
    expect(listWaits(failed)).toEqual([
      'orchestrator since event 0',
      'worker since event 1',
      'orchestrator since event 2',
      'nothing',
    ]);
  });
});
