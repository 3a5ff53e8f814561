import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { expect, vi } from 'vitest';
import { createPerson, startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

/** Number of equal mistakes that make a pattern. */
const REFUSALS = 5;

export interface LearningSystem extends DashboardSystem {
  /** A job whose branches are an experiment. */
  readonly parent: JobId;
}

/** Starts the whole system with a pattern, a stored guard in shadow, and an experiment with branches on both sides. */
export async function startLearningSystem(): Promise<LearningSystem> {
  const system = await startDashboardSystem();
  try {
    // The person for whom a job runs cannot promote what was learned from it, so jobs run for another one than the pages are shown to.
    const author = await createPerson(system, 'ada', 'author');
    await Promise.all(Array.from({ length: REFUSALS }, () => refuseOnce(system, author)));
    await addGuard(system, author);
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

/** Adds a guard that is tried on the refused calls. */
async function addGuard({ client }: DashboardSystem, author: PhaselineClient): Promise<void> {
  const place = { scope: 'tenant', tenant: 'default' } as const;
  const guard = {
    ...{ name: 'no-results', owner: 'legal', description: 'Results are written by people.', minLabelled: REFUSALS },
    ...{ when: { agent: 'careful', tool: 'write_file' }, then: { deny: 'No results.' } },
  };
  const added = await author.guards.add({ ...place, guard });
  const { version } = added.guard.newest;
  await client.guards.backtest(guard.name, place);
  const basis = { cause: 'tool_use', figure: `${REFUSALS} refused results per day` } as const;
  const reason = 'To see how often it denies';
  await client.guards.promote(guard.name, { ...place, version, to: 'shadow', basis, reason });
  // A newer version, which is a draft.
  await author.guards.add({ ...place, guard: { ...guard, then: { deny: 'No results, please.' } } });
}

/** Forks an ended job as `phaseline experiment` does: three branches of the candidate, of which one is cancelled, and two as recorded. */
async function makeExperiment({ client, runJob }: DashboardSystem): Promise<Pick<LearningSystem, 'parent'>> {
  const parent = await runJob('writer', 'completed');
  const { items } = await client.eventPage(parent, { types: ['ModelCallStarted'], limit: 100 });
  const [first, last] = [items[0]!.position, items.at(-1)!.position];
  const name = '1-0123456789ab';
  const fork = async (side: string, nth: number, answer: number): Promise<JobId> => {
    const position = answer - 1;
    const labels = {
      'phaseline-branch': name,
      'phaseline-branch-key': `${position}-experiment-${side}-${answer}-${nth}`,
    };
    const limits = side === 'baseline' ? {} : { limits: { steps: 60 } };
    return (await client.fork(parent, { position, labels, ...limits })).jobId;
  };
  // From its first answer a branch runs long enough to be cancelled.
  await client.cancel(await fork(name, 1, first), { reason: 'It does not get better.' });
  const branches = [fork(name, 1, last), fork(name, 2, last), fork('baseline', 1, last), fork('baseline', 2, last)];
  await Promise.all(branches.map(async (branch) => client.wait(await branch)));
  return { parent };
}
