import type { CallId, ProcessId } from '@phaseline/contracts';

interface Verified {
  readonly outcome: 'passed' | 'failed' | 'error';
  readonly reason: string;
  readonly definition: string;
  readonly changedInputs: string[];
  readonly proof?: {
    readonly proved: boolean;
    readonly reason: string;
    readonly cases: [];
    readonly baseline: { readonly outcome: 'failed'; readonly reason: string };
  };
}

const NOT_BEFORE = { outcome: 'failed', reason: '' } as const;

/** What a run of a verifier finds: always the same in the same process. Some runs find inputs that the agent changed. */
export function verify(callId: CallId, processId: ProcessId, proves: boolean): Verified {
  const sum = [...`${callId} ${processId}`].reduce(
    (total, letter) => (total * 31 + letter.codePointAt(0)!) % 10_007,
    7,
  );
  const outcome = (['passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'failed', 'error'] as const)[sum % 8]!;
  const proved = sum % 7 !== 0;
  const proof = { proved, reason: proved ? '' : 'it worked before', cases: [] as [], baseline: NOT_BEFORE };
  return {
    outcome,
    reason: outcome === 'passed' ? '' : '1 failed test',
    definition: '0'.repeat(64),
    changedInputs: outcome === 'passed' && sum % 5 === 0 ? ['notes/1-1.md'] : [],
    ...(proves ? { proof } : {}),
  };
}
