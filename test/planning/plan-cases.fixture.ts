import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@phaseline/basics';
import type { PhaselineClient, Plan, PlanTrace, PlanWait, SubmitPlanRequest } from '@phaseline/client';
import { isEnded, type JobId } from '@phaseline/contracts';
import { expect } from 'vitest';

/** What happened to a plan until it ended. */
export interface PlayedPlan {
  readonly plan: Plan;
  readonly trace: PlanTrace;
  /** What its person was asked, oldest first. */
  readonly asked: readonly PlanWait[];
  /** Each state of the plan at which it waited. */
  readonly waits: readonly Plan[];
}

/** A plan with a scripted person. The checks hold for any planner that follows the design, also for a real model. */
export interface PlanCase {
  readonly title: string;
  readonly request: Omit<SubmitPlanRequest, 'user'>;
  check(played: PlayedPlan): void;
}

const list = (value: unknown): readonly Record<string, unknown>[] => value as readonly Record<string, unknown>[];
const readTasks = (plan: Plan) => list(plan.schedule!['tasks']);
const readNodes = (plan: Plan) => list(plan.outline!['nodes']);
const readPhases = (plan: Plan) => list(plan.roadmap!['phases']);
const readOptions = (plan: Plan) => list(plan.roadmap!['optionsTried']);

/** The integration cases of the planner. */
export const planCases = {
  routine: {
    title: 'recurring_cycle with protocol_routine',
    request: {
      goal: 'Follow a health protocol every morning for eight weeks: stretch, breathe, write down how I slept. Twenty minutes a day.',
    },
    check({ plan }) {
      expect(plan.selectedPattern).toMatchObject({ patternType: 'recurring_cycle', subtype: 'protocol_routine' });
      const tasks = readTasks(plan);
      expect(tasks.length).toBeGreaterThan(0);
      for (const { recurrence } of tasks) expect(recurrence).toMatch(/FREQ=(?:DAILY|WEEKLY).*(?:COUNT|UNTIL)=/);
    },
  },
  project: {
    title: 'milestone_project with overlapping phases and recorded options',
    request: {
      goal: 'Write a thesis on bees in six months, five hours a week. The phases may overlap.',
      policy: { autonomy: 'low', talkativeness: 0.7 },
    },
    check({ plan }) {
      expect(plan.selectedPattern).toMatchObject({ patternType: 'milestone_project' });
      expect(readPhases(plan).length).toBeGreaterThan(1);
      expect(readPhases(plan).some(({ mayOverlap }) => mayOverlap)).toBe(true);
      const options = readOptions(plan);
      expect(options.length).toBeGreaterThanOrEqual(2);
      for (const { reason } of options) expect(reason).toEqual(expect.stringMatching(/\S/));
      expect(options.map(({ id }) => id)).toContain((plan.roadmap!['choice'] as { option: string }).option);
    },
  },
  proposal: {
    title: 'proposed:daily_health_protocol_v2, which waits for its RFC, is approved and completes',
    request: {
      goal: 'Follow a routine every morning for eight weeks; propose a new subtype called daily health protocol v2',
    },
    check({ plan, waits, asked }) {
      const waiting = waits.find(({ patternRfcRequired }) => patternRfcRequired);
      expect(waiting).toMatchObject({ planningStatus: 'needs_clarification', patternRfcRequired: true });
      expect(waiting!.patternRfcText).toMatch(/\S/);
      expect(waiting!.responseText).toMatch(/approve/i);
      expect(asked.filter(({ kind }) => kind === 'approval').length).toBeGreaterThan(0);
      expect(plan).toMatchObject({
        patternRfcRequired: false,
        selectedPattern: { patternType: 'recurring_cycle', subtype: 'proposed:daily_health_protocol_v2' },
      });
    },
  },
  concise: {
    title: 'concise with high autonomy',
    request: {
      goal: 'Learn to give talks without notes in ten weeks',
      policy: {
        conversationStyle: 'concise',
        talkativeness: 0.1,
        autonomy: 'high',
        brainstormingPreference: 'on_demand',
        probingDepth: 1,
      },
    },
    check({ plan, asked }) {
      expect(asked.map(({ kind }) => kind)).toEqual(['approval']);
      expect(readOptions(plan)).toHaveLength(2);
    },
  },
  conversational: {
    title: 'conversational with brainstorming',
    request: {
      goal: 'Learn to give talks without notes in ten weeks',
      policy: {
        ...{ conversationStyle: 'conversational', talkativeness: 0.9, autonomy: 'low' },
        ...{ brainstormingPreference: 'always_offer', probingDepth: 3 },
      },
    },
    check({ plan, asked, trace }) {
      // An option is chosen by the person.
      expect(asked.filter(({ kind }) => kind === 'question').length).toBeGreaterThan(0);
      expect(readOptions(plan)).toHaveLength(3);
      expect(trace.items.some(({ tool }) => tool === 'brainstormer')).toBe(true);
    },
  },
} satisfies Readonly<Record<string, PlanCase>>;

/** Plays a case with a person who takes the first option, answers briefly and approves. */
export async function playCase(client: PhaselineClient, { request }: PlanCase): Promise<PlayedPlan> {
  return followPlan(client, await submitIn(client, `case-${randomUUID()}`, request));
}

/** Submits a plan in a tenant of its own: plans of one person in a tenant are made around each other. */
export async function submitIn(client: PhaselineClient, tenant: string, request: PlanCase['request']): Promise<JobId> {
  const parameters = { zone: 'Europe/Berlin', ...(request as JsonObject) };
  return (await client.submit({ agent: 'planner', tenant, parameters })).jobId;
}

const MAX_REPLIES = 20;

/** Follows a plan until it ends. A reply that is lost is sent again with its key. */
export async function followPlan(client: PhaselineClient, planId: JobId): Promise<PlayedPlan> {
  const waits: Plan[] = [];
  for (;;) {
    const plan = await client.plan(planId);
    if (isEnded(plan.status))
      return { plan, trace: await client.planTrace(planId), asked: waits.map(({ waitsFor }) => waitsFor!), waits };
    const wait = plan.waitsFor;
    if (!wait || wait.callId === waits.at(-1)?.waitsFor?.callId) {
      await sleep(100);
      continue;
    }
    waits.push(plan);
    if (waits.length > MAX_REPLIES) throw new Error(`The plan asked ${MAX_REPLIES} times: ${wait.question}`);
    const hash = wait.kind === 'approval' ? wait.contentHash : undefined;
    await client.replyToPlan(
      planId,
      { text: reply(wait), callId: wait.callId, ...(hash === undefined ? {} : { contentHash: hash }) },
      { idempotencyKey: `${planId}.${wait.callId}` },
    );
  }
}

function reply(wait: PlanWait): string {
  if (wait.kind === 'approval') return 'approve';
  if (/concise or conversational/i.test(wait.question)) return 'Concise. Five hours a week, in the evenings.';
  if (wait.options) return wait.options.includes('approve') ? 'approve' : wait.options[0]!;
  return /approve/i.test(wait.question) ? 'approve' : 'Five hours a week, in the evenings.';
}

/** What holds for each plan that is complete. */
export function checkCompletePlan({ plan, trace }: PlayedPlan, costMicroUsd: number): void {
  expect(plan).toMatchObject({ status: 'completed', planningStatus: 'complete', waitsFor: null, violations: [] });
  expect(plan.outline).toMatchObject({ contextHash: plan.hashes['context'], pattern: plan.selectedPattern });
  expect(plan.roadmap).toMatchObject({ outlineHash: plan.hashes['outline'], pattern: plan.selectedPattern });
  expect(plan.schedule).toMatchObject({ roadmapHash: plan.hashes['roadmap'] });
  expect(plan.context).toMatchObject({ pattern: plan.selectedPattern });
  const leaves = readNodes(plan).filter(
    ({ id, level }) => level !== 'L1' && !readNodes(plan).some(({ parent }) => parent === id),
  );
  const placed = new Set(readTasks(plan).map(({ task }) => task));
  expect(leaves.filter(({ id, level }) => level !== 'L2' && !placed.has(id))).toEqual([]);
  const sum = trace.items.reduce((total, { costDelta }) => total + costDelta, 0);
  expect({ sum, total: trace.costMicroUsd }).toEqual({ sum: costMicroUsd, total: costMicroUsd });
  const calls = trace.items.filter(({ tool }) => tool !== null);
  expect(calls.length).toBeGreaterThan(5);
  for (const step of calls) {
    expect(step, step.tool!).toMatchObject({
      stage: expect.any(String),
      violations: expect.any(Array),
      adaptations: expect.any(Number),
    });
    expect(step.explanations, step.tool!).toEqual(expect.any(Array));
  }
  const drafted = calls.filter(
    ({ tool }) => tool === 'node_generator' || tool === 'roadmap_builder' || tool === 'schedule_generator',
  );
  for (const step of drafted) {
    expect(step.durationMs, step.tool!).not.toBeNull();
    expect(step.confidence, step.tool!).toBeGreaterThan(0);
    expect(step.explanations.length, step.tool!).toBeGreaterThan(0);
  }
}
