import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { openLocalHome } from '@phaseline/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLog } from '../../apps/cli/src/audit/verify-log.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { checkCompletePlan, followPlan, planCases, playCase, submitIn, type PlayedPlan } from './plan-cases.fixture.js';

/** The integration cases of the planner on all services, as separate processes, with the model server that plays the planner. */
const { signal } = new AbortController();
const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;

let folder: string;
let stack: RunningStack;
let client: PhaselineClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-plans-'));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PHASELINE_HOME: join(folder, 'home'), PHASELINE_REHEARSAL_LATENCY_MS: '30' };
  stack = await startStack({
    home: await openLocalHome(env, folder),
    plan: planStack(env, { queueBackend: 'postgres' }),
    env,
    signal,
  });
  client = new PhaselineClient({ baseUrl: stack.apiUrl, retries: 40 });
}, 120_000);
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function checkPlan(played: PlayedPlan): Promise<void> {
  const { usage } = await client.get(played.plan.planId);
  // Otherwise the sum of the trace would prove nothing.
  expect(usage.costMicroUsd).toBeGreaterThan(0);
  checkCompletePlan(played, usage.costMicroUsd);
}

describe('a plan on all services', () => {
  const { routine, project, proposal, concise, conversational } = planCases;

  it.each([routine, project, proposal].map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    const played = await playCase(client, one);
    await checkPlan(played);
    one.check(played);
  });

  it('deals with people as they want: questions, options and length differ', async () => {
    const brief = await playCase(client, concise);
    const chatty = await playCase(client, conversational);
    for (const played of [brief, chatty]) await checkPlan(played);
    concise.check(brief);
    conversational.check(chatty);
    expect(brief.asked.length).toBeLessThan(chatty.asked.length);
    const length = ({ asked }: PlayedPlan) => asked.find(({ kind }) => kind === 'approval')!.question.length;
    expect(length(brief)).toBeLessThan(length(chatty));
  });

  it(
    'is the same, approved once, although a process is killed in each of its states',
    { timeout: 600_000 },
    async () => {
      const request = {
        ...project.request,
        goalId: 'thesis',
        start: '2027-01-04',
        zone: 'Europe/Berlin',
      };
      const undisturbed = await followPlan(client, await submitIn(client, 'killed', request));
      await checkPlan(undisturbed);

      const planId = await submitIn(client, 'killed', request);
      const killed = killInEachState(planId);
      const played = await followPlan(client, planId);
      const kills = await killed;
      const states = kills.map(({ state }) => state);
      const waits = states.filter((state) => state.startsWith('needs_'));
      expect(states.filter((state) => !state.startsWith('needs_'))).toEqual([
        ...['open', 'collect_context', 'draft_outline', 'validate_outline', 'draft_roadmap', 'validate_roadmap'],
        ...['draft_schedule', 'validate_schedule', 'seek_approval'],
      ]);
      expect(waits.length, 'the person is asked').toBeGreaterThan(0);
      for (const service of SERVICES)
        expect(
          kills.some((kill) => kill.service === service),
          service,
        ).toBe(true);

      await checkPlan(played);
      const context = JSON.stringify(kills);
      expect(played.plan.hashes, context).toEqual(undisturbed.plan.hashes);
      expect(
        played.asked.map(({ kind }) => kind),
        context,
      ).toEqual(undisturbed.asked.map(({ kind }) => kind));
      const events = await countEvents(planId);
      expect(events.get('ApprovalGranted'), context).toBe(1);
      expect(events.get('PlanArtifactRecorded'), context).toBe(
        (await countEvents(undisturbed.plan.planId)).get('PlanArtifactRecorded'),
      );
      const audit = await verifyLog(stack.databaseUrl, { signal });
      expect(audit, context).toMatchObject({ passed: true, problems: [] });
    },
  );
});

interface Kill {
  readonly state: string;
  readonly service: (typeof SERVICES)[number];
}

/** Kills one process in each state of a plan, in turn the next kind, soon after the state began. */
async function killInEachState(planId: JobId): Promise<readonly Kill[]> {
  const kills: Kill[] = [];
  for await (const { type, data } of client.events(planId, { types: ['PhaseStarted', 'JobCompleted', 'JobFailed'] })) {
    if (type !== 'PhaseStarted') break;
    const { state } = (data as { readonly identity: { readonly state: string } }).identity;
    if (kills.some((kill) => kill.state === state)) continue;
    const service = SERVICES[kills.length % SERVICES.length]!;
    kills.push({ state, service });
    await sleep(Math.random() * 60);
    const pid = stack.services().find(({ name }) => name === service)?.pid;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  return kills;
}

async function countEvents(planId: JobId): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { type } of client.events(planId)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
