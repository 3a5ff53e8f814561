import type { PhaseState } from '@phaseline/domain';
import { ModelError } from '@phaseline/model';
import { describe, expect, it } from 'vitest';
import type { LiveAnswers } from '../ports.js';
import { openRecorder } from './open-recorder.js';

/** The parts of a phase that are read, with an open call. */
function createState(jobId: string, purpose?: 'judge'): PhaseState {
  const open = { step: 4, leaseOwner: 'worker', epoch: 0, ...(purpose ? { purpose } : {}) };
  return { start: { identity: { jobId, phase: 2 } }, modelCall: { open } } as unknown as PhaseState;
}

describe('openRecorder', () => {
  const plain = '0190a0b0-0000-4000-8000-000000000001';
  // Ids of encrypted jobs are UUIDs of version 8.
  const encrypted = '0190a0b0-0000-8000-8000-000000000001';
  const opened: Parameters<LiveAnswers['open']>[0][] = [];
  const answers: LiveAnswers = {
    open: (call) => {
      opened.push(call);
      const ignore = (): void => undefined;
      return { add: ignore, restart: ignore, end: ignore, discard: ignore };
    },
  };

  it('names the call and the attempt', () => {
    const failure = new ModelError('stream_broken', 'cut', { attempts: 2, mayBeCharged: true });
    expect(openRecorder(createState(plain), answers, failure)).toBeDefined();
    expect(openRecorder(createState(plain, 'judge'), answers, undefined)).toBeDefined();
    expect(opened.splice(0)).toEqual([
      { jobId: plain, phase: 2, step: 4, attempt: 3 },
      { jobId: plain, phase: 2, step: 4, attempt: 1, purpose: 'judge' },
    ]);
  });

  it('opens nothing for an encrypted job', () => {
    expect(openRecorder(createState(encrypted), answers, undefined)).toBeUndefined();
    expect(opened).toEqual([]);
  });
});
