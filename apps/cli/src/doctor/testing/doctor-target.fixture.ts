import { Output } from '../../output/output.js';
import { FakeStream } from '../../testing/fake-streams.js';
import type { Check } from '../check.js';
import { runChecks, type CheckResult } from '../run-checks.js';
import { defaultLimits, type Limits } from '../limits.js';
import { openTarget, type DoctorTarget } from '../doctor-target.js';

/** Targets opened by a spec, closed by `closeAll`. */
const openTargets: DoctorTarget[] = [];

/** Opens a target in an environment that contains only `env`. */
export async function openTestTarget(env: NodeJS.ProcessEnv, limits: Partial<Limits> = {}): Promise<DoctorTarget> {
  const stream = new FakeStream();
  const target = await openTarget(
    {
      out: new Output({ stdout: stream, stderr: stream, env: {}, json: false, color: false }),
      env,
      currentDirectory: '/nowhere',
      signal: new AbortController().signal,
      url: undefined,
      apiKey: undefined,
      onBehalfOf: undefined,
      input: process.stdin,
      now: Date.now,
    },
    { ...defaultLimits, ...limits },
  );
  openTargets.push(target);
  return target;
}

export async function closeAll(): Promise<void> {
  for (const target of openTargets.splice(0)) await target.close();
}

/** Runs one check. */
export function runCheck(target: DoctorTarget, check: Check): Promise<CheckResult[]> {
  return runChecks(target, [check]);
}
