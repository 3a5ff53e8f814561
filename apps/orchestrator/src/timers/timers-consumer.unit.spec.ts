import type { JobState, PhaseState } from '@phaseline/domain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fireTimer, type TimerParts } from './timers-consumer.js';

const NOW = Date.parse('2025-03-01T12:00:00.000Z');
/** The database's, by which timers are set. */
const clock = { now: () => new Date(NOW) };
/** What the clock of this process says: it is wrong by hours. */
const OWN = NOW + 10_000_000;
const at = (ms: number): string => new Date(NOW + ms).toISOString();
const message = (timer: string) => ({ jobId: 'job', timer });

function parts(job: Partial<JobState> | undefined, phase?: Partial<PhaseState>): TimerParts & { advanced: string[] } {
  const advanced: string[] = [];
  return {
    advanced,
    driver: { advance: async (jobId) => void advanced.push(jobId) },
    histories: {
      job: async () => (job ? ({ status: 'running', timers: {}, ...job } as JobState) : undefined),
      phase: async () => phase as PhaseState | undefined,
    },
  };
}

describe('a timer message', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: OWN }));
  afterEach(() => void vi.useRealTimers());

  it('has the job looked at, and ends when the timer fired', async () => {
    const subject = parts({});
    expect(await fireTimer(subject, message('deadline'), clock)).toBeUndefined();
    expect(subject.advanced).toEqual(['job']);
  });

  it('that came too early is put off until the timer is due', async () => {
    const job = { timers: { deadline: { kind: 'deadline', dueAt: at(90_000) } } } as const;
    expect(await fireTimer(parts(job), message('deadline'), clock)).toEqual({ retryAt: OWN + 90_000 });
  });

  it('comes again soon when the timer is due and did not fire', async () => {
    const job = { timers: { deadline: { kind: 'deadline', dueAt: at(-5_000) } } } as const;
    expect(await fireTimer(parts(job), message('deadline'), clock)).toEqual({ retryAt: OWN + 1_000 });
  });

  it('waits for the end of an approval that is still asked for', async () => {
    const phase = (status: string) => ({ calls: { c1: { status, expiresAt: at(60_000) } } }) as never;
    const job = { active: { phase: 1, state: 'work', attempt: 1 } };
    const asked = parts(job, phase('awaiting-approval'));
    expect(await fireTimer(asked, message('approval-c1'), clock)).toEqual({ retryAt: OWN + 60_000 });
    expect(await fireTimer(parts(job, phase('requested')), message('approval-c1'), clock)).toBeUndefined();
  });

  it('ends for a job that is paused, has ended or is not there', async () => {
    const timers = { deadline: { kind: 'deadline', dueAt: at(90_000) } } as const;
    const paused = { actor: 'a', reason: '', at: at(0) };
    for (const job of [{ timers, paused }, { timers, status: 'failed' as const }, undefined])
      expect(await fireTimer(parts(job), message('deadline'), clock)).toBeUndefined();
  });
});
