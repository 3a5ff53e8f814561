import type { CallId, ProcessId } from '@phaseline/contracts';

interface Verified {
  readonly outcome: 'passed' | 'failed' | 'error';
  readonly reason: string;
  readonly definition: string;
  readonly changedInputs: string[];
}

/** What a run of a verifier finds: always the same in the same process. Some runs find inputs that the agent changed. */
export function verify(callId: CallId, processId: ProcessId): Verified {
  const sum = [...`${callId} ${processId}`].reduce(
    (total, letter) => (total * 31 + letter.codePointAt(0)!) % 10_007,
    7,
  );
  const outcome = (['passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'failed', 'error'] as const)[sum % 8]!;
  return {
    outcome,
    reason: outcome === 'passed' ? '' : '1 failed test',
    definition: '0'.repeat(64),
    changedInputs: outcome === 'passed' && sum % 5 === 0 ? ['notes/1-1.md'] : [],
  };
}
