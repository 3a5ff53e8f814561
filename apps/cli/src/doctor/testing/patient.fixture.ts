import { Output } from '../../output/output.js';
import { FakeStream } from '../../testing/fake-streams.js';
import type { Check } from '../check.js';
import { examine, type Result } from '../examine.js';
import { defaultLimits, type Limits } from '../limits.js';
import { openPatient, type Patient } from '../patient.js';

/** Patients of a spec, closed again by `closeAll`. */
const open: Patient[] = [];

/** A patient of an environment that has nothing but what is given. */
export async function patientOf(env: NodeJS.ProcessEnv, limits: Partial<Limits> = {}): Promise<Patient> {
  const stream = new FakeStream();
  const patient = await openPatient(
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
  open.push(patient);
  return patient;
}

export async function closeAll(): Promise<void> {
  for (const patient of open.splice(0)) await patient.close();
}

/** What one check finds. */
export function look(patient: Patient, check: Check): Promise<Result[]> {
  return examine(patient, [check]);
}
