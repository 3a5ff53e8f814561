import type { PlanItem } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { OTHER_JOB_ID, useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

function buildItem(planId: string, changes: Partial<PlanItem> = {}): PlanItem {
  return {
    ...{ planId: planId as JobId, tenant: 'acme', user: 'ada', goalId: 'boat', goal: 'Build a boat' },
    ...{ planningStatus: 'needs_clarification', stage: 'approval' },
    ...{ patternType: null, patternSubtype: null, patternVariant: null, approvedAt: null },
    changedAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

describe('plan --continue', () => {
  it('continues the open plan that was begun last for the person who is acted for', async () => {
    cli.state.plans = [
      buildItem(OTHER_JOB_ID, { planningStatus: 'complete' }),
      buildItem(JOB_ID, { goalId: 'sea' }),
      buildItem(OTHER_JOB_ID),
    ];
    expect(await cli.run('plan --continue')).toMatchObject({ code: 0, out: `${JOB_ID}\n` });
    expect(cli.server.requests.find(({ path }) => path === '/v1/plans')?.query).toEqual({
      ...{ user: 'ada', open: 'true', limit: '1' },
    });
    expect(cli.server.requests.some(({ method }) => method === 'POST')).toBe(false);
  });

  it('continues that of the goal and of the person that are named', async () => {
    cli.state.plans = [buildItem(OTHER_JOB_ID, { goalId: 'sea' }), buildItem(JOB_ID, { user: 'bea' })];
    expect(await cli.run('plan --continue boat --user bea --no-ask')).toMatchObject({ code: 0, out: `${JOB_ID}\n` });
  });

  it('says what to do if no plan is open', async () => {
    cli.state.plans = [buildItem(JOB_ID, { planningStatus: 'aborted' })];
    const none = await cli.run('plan --continue');
    expect(none).toMatchObject({ code: 4, out: '' });
    expect(none.err).toContain('ada has no open plan. Begin one: phaseline plan "GOAL".');
    expect((await cli.run('plan --continue boat')).err).toContain('--goal-id boat');
  });

  it.each([
    ['plan --continue=boat Sail', /not both/],
    ['plan --continue --end 2027-01-01', /--end is for a new plan/],
    ['plan --continue --goal-id boat', /--goal-id is for a new plan/],
    ['plan', /what is to be planned/],
  ])('%s is refused', async (argv, message) => {
    const { code, err } = await cli.run(argv);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
  });
});

it('a plan shows its goal, and the plan that it continues', async () => {
  cli.state.plans = [buildItem(JOB_ID, { goalId: 'x'.repeat(40) })];
  expect((await cli.run('plan list')).out).toMatch(/GOAL ID +GOAL\n.* {2}x{40} {2}Build a boat/);
  const { out } = await cli.run(`plan show ${JOB_ID}`);
  expect(out).toMatch(/Goal id +x{40}\n/);
  cli.state.plans = [{ ...buildItem(JOB_ID), continues: 'earlier' } as PlanItem];
  expect((await cli.run(`plan show ${JOB_ID}`)).out).toMatch(/Goal id +boat, continues earlier\n/);
});

it('limits are part of the request of a plan', async () => {
  cli.state.plans = [buildItem(JOB_ID)];
  const limits =
    '--turn-limit 3 --retry-limit-per-stage 0 --wall-time-sec 1.5 --budget-per-session-usd 1 --soft-budget-per-turn-usd 0.1 --daily-budget-usd 2';
  expect(await cli.run(`plan Sail ${limits}`)).toMatchObject({ code: 0 });
  const { body } = cli.server.requests.find(({ method }) => method === 'POST')!;
  expect(JSON.parse(body)).toMatchObject({
    limits: {
      ...{ turnLimit: 3, retryLimitPerStage: 0, wallTimeSec: 1.5 },
      ...{ budgetPerSessionUsd: 1, softBudgetPerTurnUsd: 0.1, dailyBudgetUsd: 2 },
    },
  });
  expect((await cli.run('plan --continue --turn-limit 3')).code).toBe(2);
});
