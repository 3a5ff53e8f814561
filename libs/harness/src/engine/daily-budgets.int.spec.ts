import { randomUUID } from 'node:crypto';
import { budgetStream, foldDailyBudget, getUsedMicroUsd, type BudgetEvent } from '@phaseline/domain';
import { DailyBudgets } from '@phaseline/repository';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '@phaseline/testing';
import { requestControl } from './control.fixture.js';
import type { Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { opened, engine } = useEngines();
const origin = { actor: { id: 'worker', kind: 'process' as const } };
const CAP = 5_000;
const DAY_MS = 86_400_000;
const TOOLS = {
  workspace: ['read_file'],
  strategic: ['todo_write', 'todo_complete', 'job_complete'],
  tactical: ['todo_complete'],
  domain: [],
};

const newBudget = () => budgetStream('2026-11-28', { tenant: 'default', actor: randomUUID() });
const reservationOf = (budget: string, costMicroUsd: number, reservation = randomUUID()) => ({
  ...{ budget, reservation, costMicroUsd },
  ...{ jobId: randomUUID(), phase: 1 },
});

describe('the budget of a person for a day', () => {
  it('is never passed by sessions that race for the last of it', async () => {
    const budget = newBudget();
    const random = new SeededRandom(7);
    // Each session has a process of its own, so that none sees the reservations of another before it reads the log.
    const sessions = Array.from({ length: 10 }, () => new DailyBudgets(opened.store));
    const refused: number[] = [];
    const work = async (budgets: DailyBudgets): Promise<void> => {
      for (let call = 0; call < 12; call += 1) {
        const request = reservationOf(budget, random.between(50, 400));
        const remaining = await budgets.reserve(request, CAP, origin);
        if (remaining) refused.push(request.costMicroUsd - remaining.remainingMicroUsd);
        else await budgets.settle({ ...request, costMicroUsd: Math.floor(request.costMicroUsd / 2) }, origin);
      }
    };
    await Promise.all(sessions.map(work));
    const events = (await opened.store.read(budget)) as unknown as readonly BudgetEvent[];
    const used = events.map((_, index) => getUsedMicroUsd(foldDailyBudget(events.slice(0, index + 1))));
    expect(Math.max(...used)).toBeLessThanOrEqual(CAP);
    // The race was one: someone was refused, and only because the rest was too small.
    expect(refused.length).toBeGreaterThan(0);
    expect(Math.min(...refused)).toBeGreaterThan(0);
  });

  it('keeps a reservation whose price is unknown, and counts one that is repeated once', async () => {
    const budget = newBudget();
    const budgets = new DailyBudgets(opened.store);
    const lost = reservationOf(budget, 3_000);
    for (const process of [budgets, new DailyBudgets(opened.store)])
      expect(await process.reserve(lost, CAP, origin)).toBeUndefined();
    expect(await budgets.reserve(reservationOf(budget, 2_001), CAP, origin)).toEqual({ remainingMicroUsd: 2_000 });
    for (const costMicroUsd of [1_000, 1_000]) await budgets.settle({ ...lost, costMicroUsd }, origin);
    expect(getUsedMicroUsd(await budgets.load(budget))).toBe(1_000);
    // What was settled is not reserved again by a repetition that comes late.
    expect(await budgets.reserve(lost, CAP, origin)).toBeUndefined();
    expect(getUsedMicroUsd(await new DailyBudgets(opened.store).load(budget))).toBe(1_000);
  });
});

describe('jobs with a daily budget', () => {
  /** A job with many calls, whose prices are far below what is reserved for them. */
  const play = (costUsd: number, zone = 'UTC'): Engine =>
    engine(createThreePhasePolicy(Array.from({ length: 5 }, () => call('read_file', { path: 'instructions.md' }))), {
      agent: { dailyBudget: { costUsd, zone }, tools: TOOLS },
      pricePerMillion: 1,
    });

  /** What was used of each budget of the tenant after each of its events. */
  async function readUse(tenant: string): Promise<ReadonlyMap<string, readonly number[]>> {
    const use = new Map<string, readonly number[]>();
    for (const day of [0, 1, 2].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10))) {
      const events = (await opened.store.read(
        budgetStream(day, { tenant, actor: 'spec' }),
      )) as unknown as BudgetEvent[];
      if (events.length > 0)
        use.set(
          day,
          events.map((_, index) => getUsedMicroUsd(foldDailyBudget(events.slice(0, index + 1)))),
        );
    }
    return use;
  }

  it('reserve each call before it is made, and settle what it cost', async () => {
    const subject = play(1);
    const tenant = randomUUID();
    const job = await subject.loadJob(await subject.submitAndRun({ tenant }));
    expect(job.status).toBe('completed');
    const [use = []] = [...(await readUse(tenant)).values()];
    expect(use.at(-1)).toBe(job.spending.costMicroUsd);
    expect(Math.max(...use)).toBeGreaterThan(job.spending.costMicroUsd);
  });

  it('never pass it together, and continue the next day', async () => {
    const tenant = randomUUID();
    const costUsd = 0.008;
    const subjects = Array.from({ length: 6 }, () => play(costUsd));
    const jobIds = await Promise.all(subjects.map((subject) => subject.submitAndRun({ tenant })));
    const jobs = await Promise.all(subjects.map((subject, index) => subject.loadJob(jobIds[index]!)));
    const refused = jobs.findIndex(({ failure }) => failure?.code === 'daily_limit');
    expect(refused).toBeGreaterThanOrEqual(0);
    expect(jobs[refused]!.status).toBe('aborted');
    const [use = []] = [...(await readUse(tenant)).values()];
    expect(Math.max(...use)).toBeLessThanOrEqual(costUsd * 1_000_000);
    // What the jobs spent is what the budget says.
    expect(use.at(-1)).toBe(jobs.reduce((sum, { spending }) => sum + spending.costMicroUsd, 0));
    const subject = subjects[refused]!;
    subject.advanceTime(DAY_MS);
    await requestControl(subject, jobIds[refused]!, { action: 'retry' });
    await subject.run(jobIds[refused]!);
    expect((await readUse(tenant)).size).toBe(2);
  });
});
