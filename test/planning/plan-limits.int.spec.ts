import type { PlanLimits } from '@phaseline/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';
import { createPlanner, playPlan } from '../../libs/harness/src/planning/planner.fixture.js';
import { PlanningServer } from './planning-server.fixture.js';

let server: PlanningServer;
beforeAll(async () => {
  server = await PlanningServer.start([['ada', 'operator', 'acme']]);
});
afterAll(() => server.stop());

/** Those of the shipped planner. */
const LIMITS = {
  ...{ turnLimit: 10, retryLimitPerStage: 2, wallTimeSec: 45 },
  ...{ budgetPerSessionUsd: 2, softBudgetPerTurnUsd: 0.3, dailyBudgetUsd: 5 },
} as const satisfies PlanLimits;

async function play(limits: PlanLimits) {
  const engine = await createPlanner(server.store, playPlan().policy);
  const planId = await server.submit('ada', { limits });
  await server.drive(engine, planId);
  return { engine, planId, plan: await server.as('ada').plan(planId) };
}

it.each(Object.entries(LIMITS))('%s can be lowered, and not raised above %d', async (name, ceiling) => {
  const send = (limit: number) =>
    server.orchestrator.json(
      '/v1/plans',
      post({ goal: 'Build a boat', limits: { [name]: limit } }, server.headers('ada')),
    );
  expect(await send(ceiling + 1)).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_request',
      errors: [{ path: `limits.${name}`, message: expect.stringContaining(`at most ${ceiling}`) as string }],
    },
  });
  const lower = ceiling / 2;
  const { status, body } = await send(lower);
  expect(status).toBe(201);
  const { limits } = await server.as('ada').plan(body['planId'] as never);
  expect(limits).toMatchObject({ ...LIMITS, ...(name === 'retryLimitPerStage' ? {} : { [name]: lower }) });
});

it('the retry limit of a session is that of its submission', async () => {
  const { plan } = await play({ retryLimitPerStage: 0 });
  expect(plan.limits).toEqual({ ...LIMITS, retryLimitPerStage: 0 });
});

it('a plan ends after the turns of its submission', async () => {
  const { engine, planId, plan } = await play({ turnLimit: 1 });
  expect(plan.waitsFor).not.toBeNull();
  await server.as('ada').replyToPlan(planId, { text: 'propose changes: Glue twice.' });
  await server.drive(engine, planId);
  expect(await server.as('ada').plan(planId)).toMatchObject({ status: 'aborted', planningStatus: 'aborted' });
});

it('a plan ends at the budget of its submission', async () => {
  const { plan } = await play({ budgetPerSessionUsd: 0.000_002 });
  expect(plan).toMatchObject({ status: 'aborted', planningStatus: 'aborted' });
});

it.each([
  [{ softBudgetPerTurnUsd: 0.000_002 }, /turn/],
  [{ dailyBudgetUsd: 0.000_002 }, /day/],
])('a plan asks its person at %j', async (limits, question) => {
  const { plan } = await play(limits);
  expect(plan.waitsFor).toMatchObject({ kind: 'question', question: expect.stringMatching(question) as string });
});
