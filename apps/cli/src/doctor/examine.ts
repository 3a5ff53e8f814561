import type { Check, Finding } from './check.js';
import { reasonOf, type Patient } from './patient.js';

/** A finding with the check that made it. */
export interface Result extends Finding {
  readonly check: string;
}

/** A check that takes longer than a person waits for it hangs on something that another check tells. */
const PATIENCE_MS = 20_000;

/** Runs the checks side by side. Returns what they found in their order; a check that fails by itself is a finding, too. */
export async function examine(patient: Patient, checks: readonly Check[]): Promise<Result[]> {
  const found = await Promise.all(checks.map((check) => findingsOf(check, patient)));
  return found.flatMap((findings, index) => findings.map((finding) => ({ check: checks[index]!.name, ...finding })));
}

async function findingsOf(check: Check, patient: Patient): Promise<readonly Finding[]> {
  for (const need of check.needs ?? []) {
    const missing = await patient.missing(need);
    if (missing !== undefined) return [{ level: 'skipped', text: `not looked at: ${missing}` }];
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () => resolve({ level: 'warn', text: `no answer within ${PATIENCE_MS / 1_000} s`, mend: 'run it again' }),
      PATIENCE_MS,
    );
  });
  try {
    const found = await Promise.race([check.run(patient), late]);
    return 'level' in found ? [found] : found;
  } catch (error) {
    const text = `could not be looked at: ${reasonOf(error)}`;
    return [{ level: 'fail', text, mend: 'run it again with PHASELINE_DEBUG=1' }];
  } finally {
    clearTimeout(timer);
  }
}
