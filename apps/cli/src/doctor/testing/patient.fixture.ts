import { Output } from '../../output/output.js';
import { FakeStream } from '../../testing/fake-streams.js';
import type { Check } from '../check.js';
import { examine, type Result } from '../examine.js';
import { defaultLimits, type Limits } from '../limits.js';
import { openPatient, type Patient } from '../patient.js';

/** Targets opened by a spec, closed by `closeAll`. */
const openTargets: Patient[] = [];

/** Opens a target in an environment that contains only `env`. */
export async function patientOf(env: NodeJS.ProcessEnv, limits: Partial<Limits> = {}): Promise<Patient> {
  const stream = new FakeStream();
  const target = await openPatient(
    {
      out: new Output({ stdout: stream, stderr: stream, env: {}, json: false, color: false }),
      env,
      currentDirectory: '/nowhere',
      signal: new AbortController().signal,
      url: undefined,
      apiKey: undefined,
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
export function look(target: Patient, check: Check): Promise<Result[]> {
  return examine(target, [check]);
}
