import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { expect, vi } from 'vitest';
import { createPerson, startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

/** Number of equal mistakes that make a pattern. */
const REFUSALS = 5;

export interface LearningSystem extends DashboardSystem {
  /** A job whose branches are an experiment, and the position from which they continue. */
  readonly parent: JobId;
  readonly position: number;
}

/** Starts the whole system with a pattern, a stored guard in shadow, and an experiment with branches on both sides. */
export async function startLearningSystem(): Promise<LearningSystem> {
  const system = await startDashboardSystem();
  try {
    // The person for whom a job runs cannot promote what was learned from it, so jobs run for another one than the pages are shown to.
    const author = await createPerson(system, 'ada', 'author');
    await Promise.all([
      ...Array.from({ length: REFUSALS }, () => refuseOnce(system, author)),
      addGuard(system, author),
    ]);
    return { ...system, ...(await makeExperiment(system)) };
  } catch (error) {
    await system.close();
    throw error;
  }
}

/** Runs a job until it wants to write a file, and refuses that. */
async function refuseOnce({ client }: DashboardSystem, author: PhaselineClient): Promise<void> {
  const { jobId } = await author.submit({ agent: 'careful' });
  const callId = await vi.waitFor(
    async () => {
      const { waitsFor } = await client.get(jobId);
      expect(waitsFor?.kind).toBe('approval');
      return waitsFor!.callId!;
    },
    { timeout: 60_000, interval: 200 },
  );
  await client.control(jobId, 'refuse', { callId, reason: 'Results are written by people.' });
  await client.cancel(jobId);
}

async function addGuard({ client }: DashboardSystem, author: PhaselineClient): Promise<void> {
  const place = { scope: 'tenant', tenant: 'default' } as const;
  const guard = {
    ...{ name: 'no-drafts', owner: 'legal', description: 'Nothing is written to drafts.' },
    ...{ when: { tool: 'write_file', args: { path: { matches: '^drafts/' } } }, then: { deny: 'No drafts.' } },
  };
  const added = await author.guards.add({ ...place, guard });
  const { version } = added.guard.newest;
  await client.guards.promote(guard.name, { ...place, version, to: 'shadow', reason: 'To see how often it denies' });
  // A newer version, which is a draft.
  await author.guards.add({ ...place, guard: { ...guard, then: { deny: 'No drafts, please.' } } });
}

/** Forks an ended job as `phaseline experiment` does: two branches of the candidate of which one ends early, and two as recorded. */
async function makeExperiment({
  client,
  runJob,
}: DashboardSystem): Promise<Pick<LearningSystem, 'parent' | 'position'>> {
  const parent = await runJob('writer', 'completed');
  const { items } = await client.eventPage(parent, { types: ['ModelCallStarted'], limit: 100 });
  const position = items.at(-1)!.position - 1;
  const name = '1-0123456789ab';
  const fork = async (side: string, nth: number, limits?: Record<string, number>): Promise<JobId> => {
    const labels = {
      'phaseline-branch': name,
      'phaseline-branch-key': `${position}-experiment-${side}-${position + 1}-${nth}`,
    };
    return (await client.fork(parent, { position, labels, ...(limits ? { limits } : {}) })).jobId;
  };
  const candidates = await Promise.all([1, 2].map((nth) => fork(name, nth, { steps: 60 })));
  const baseline = await Promise.all([1, 2].map((nth) => fork('baseline', nth)));
  await Promise.all([...candidates, ...baseline].map((jobId) => client.wait(jobId)));
  const failed = await fork(name, 3, { steps: 60 });
  await client.cancel(failed, { reason: 'It does not get better.' });
  return { parent, position };
}
