/** Names each failed check, with what was expected and what was found. */
import type { CheckFailure } from '@phaseline/checks';
export function renderFailures(failures: readonly CheckFailure[]): string {
  const count = failures.length === 1 ? 'a check failed' : `${failures.length} checks failed`;
  return [`${count}.`, ...failures.map(({ expected, found }) => `- expected ${expected}; found: ${found}`)].join('\n');
}
