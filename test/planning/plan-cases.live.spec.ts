import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhaselineClient } from '@phaseline/client';
import { openLocalHome } from '@phaseline/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { checkCompletePlan, planCases, playCase } from './plan-cases.fixture.js';

/**
 * The integration cases of the planner with the model at OPENAI_BASE_URL. They cost money: a case is skipped, by name, if no model is set, or if the cases
 * before it have used PHASELINE_PLAN_LIVE_USD (5 by default). A plan costs at most 2 USD.
 */
const { PATH, HOME, OPENAI_BASE_URL, OPENAI_API_KEY, PHASELINE_MODEL, PHASELINE_PLAN_LIVE_USD = '5' } = process.env;
const isSet = OPENAI_BASE_URL !== undefined && OPENAI_API_KEY !== undefined;
const budgetMicroUsd = Number(PHASELINE_PLAN_LIVE_USD) * 1_000_000;

let folder: string;
let stack: RunningStack | undefined;
let client: PhaselineClient;
let spentMicroUsd = 0;

beforeAll(async () => {
  if (!isSet) return;
  folder = await mkdtemp(join(tmpdir(), 'phaseline-live-'));
  const model = PHASELINE_MODEL === undefined ? {} : { PHASELINE_MODEL };
  const env = { PATH, HOME, PHASELINE_HOME: join(folder, 'home'), OPENAI_BASE_URL, OPENAI_API_KEY, ...model };
  stack = await startStack({
    home: await openLocalHome(env, folder),
    plan: planStack(env, { queueBackend: 'postgres' }),
    env,
    signal: new AbortController().signal,
  });
  client = new PhaselineClient({ baseUrl: stack.apiUrl });
}, 120_000);
afterAll(async () => {
  await stack?.stop();
  if (isSet) await rm(folder, { recursive: true, force: true });
}, 60_000);

describe.skipIf(!isSet)('a plan with a real model', () => {
  it.for(Object.values(planCases).map((one) => [one.title, one] as const))(
    '%s',
    { timeout: 900_000 },
    async ([, one], { skip }) => {
      skip(spentMicroUsd >= budgetMicroUsd, `the budget of ${PHASELINE_PLAN_LIVE_USD} USD is used`);
      const played = await playCase(client, one);
      const { usage } = await client.get(played.plan.planId);
      spentMicroUsd += usage.costMicroUsd;
      checkCompletePlan(played, usage.costMicroUsd);
      one.check(played);
      expect(usage.costMicroUsd).toBeLessThanOrEqual(2_000_000);
    },
  );
});
