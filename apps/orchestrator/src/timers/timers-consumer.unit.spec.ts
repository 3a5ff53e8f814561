import type { JobState, PhaseState } from '@phaseline/domain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fireTimer, type TimerParts } from './timers-consumer.js';

const NOW = Date.parse('2025-03-01T12:00:00.000Z');
/** The clock of the database, which determines when timers are due. */
const clock = { now: () => new Date(NOW) };
/** The clock of this process, which is wrong by hours. */
const LOCAL_NOW = NOW + 10_000_000;
const at = (ms: number): string => new Date(NOW + ms).toISOString();
const message = (timer: string) => ({ jobId: 'job', timer });

function parts(job: Partial<JobState> | undefined, phase?: Partial<PhaseState>): TimerParts & { advanced: string[] } {
  const advanced: string[] = [];
  return {
    advanced,
    driver: { advance: async (jobId) => void advanced.push(jobId) },
    repository: {
      loadJob: async () => (job ? ({ status: 'running', timers: {}, ...job } as JobState) : undefined),
      loadPhase: async () => phase as PhaseState | undefined,
    },
  };
}

describe('a timer message', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: LOCAL_NOW }));
  afterEach(() => void vi.useRealTimers());

  it('advances the job, and ends when the timer fired', async () => {
    const subject = parts({});
    expect(await fireTimer(subject, message('deadline'), clock)).toBeUndefined();
    expect(subject.advanced).toEqual(['job']);
  });

  it('that comes too early is postponed until the timer is due', async () => {
    const job = { timers: { deadline: { kind: 'deadline', dueAt: at(90_000) } } } as const;
    expect(await fireTimer(parts(job), message('deadline'), clock)).toEqual({ retryAt: LOCAL_NOW + 90_000 });
  });

  it('is retried soon when the timer is due but did not fire', async () => {
    const job = { timers: { deadline: { kind: 'deadline', dueAt: at(-5_000) } } } as const;
    expect(await fireTimer(parts(job), message('deadline'), clock)).toEqual({ retryAt: LOCAL_NOW + 1_000 });
  });

  it('is postponed until an open approval expires', async () => {
    const phase = (status: string) => ({ calls: { byId: { c1: { status, expiresAt: at(60_000) } } } }) as never;
    const job = { active: { phase: 1, state: 'work', attempt: 1 } };
    const awaiting = parts(job, phase('awaiting-approval'));
    expect(await fireTimer(awaiting, message('approval-c1'), clock)).toEqual({ retryAt: LOCAL_NOW + 60_000 });
    expect(await fireTimer(parts(job, phase('requested')), message('approval-c1'), clock)).toBeUndefined();
  });

  it('ends for a job that is paused, has ended or does not exist', async () => {
    const timers = { deadline: { kind: 'deadline', dueAt: at(90_000) } } as const;
    const paused = { actor: 'a', reason: '', pausedAt: at(0) };
    for (const job of [{ timers, paused }, { timers, status: 'failed' as const }, undefined])
      expect(await fireTimer(parts(job), message('deadline'), clock)).toBeUndefined();
  });
});
