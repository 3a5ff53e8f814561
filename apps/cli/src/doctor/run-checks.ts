import type { Check, Finding } from './check.js';
import { describeError, type DoctorTarget } from './doctor-target.js';

/** A finding with the name of its check. */
export interface CheckResult extends Finding {
  readonly check: string;
}

/** Timeout per check. A check that takes longer is blocked by a problem that another check reports. */
const CHECK_TIMEOUT_MS = 20_000;

/** Runs the checks concurrently. Returns their findings in the order of the checks. A check that throws yields a finding, too. */
export async function runChecks(target: DoctorTarget, checks: readonly Check[]): Promise<CheckResult[]> {
  const found = await Promise.all(checks.map((check) => runCheck(check, target)));
  return found.flatMap((findings, index) => findings.map((finding) => ({ check: checks[index]!.name, ...finding })));
}

async function runCheck(check: Check, target: DoctorTarget): Promise<readonly Finding[]> {
  for (const need of check.needs ?? []) {
    const missing = await target.whyMissing(need);
    if (missing !== undefined) return [{ level: 'skipped', text: `not checked: ${missing}` }];
  }
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () => resolve({ level: 'warn', text: `no result within ${CHECK_TIMEOUT_MS / 1_000} s`, remedy: 'run it again' }),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    const found = await Promise.race([collect(check.run(target)), timeout]);
    return 'level' in found ? [found] : found;
  } catch (error) {
    const text = `the check failed with an error: ${describeError(error)}`;
    return [{ level: 'fail', text, remedy: 'run it again with PHASELINE_DEBUG=1' }];
  } finally {
    clearTimeout(timer);
  }
}

async function collect(found: ReturnType<Check['run']>): Promise<Finding | readonly Finding[]> {
  if (!('next' in found)) return found;
  const problems: Finding[] = [];
  for (let next = await found.next(); ; next = await found.next()) {
    if (next.done) return problems.length > 0 ? problems : next.value;
    problems.push(next.value);
  }
}
