import { randomUUID } from 'node:crypto';
import type { Plan, SubmitPlanRequest } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { Engine } from '@phaseline/harness';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import { plannerPolicy, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPlanner } from '../../libs/harness/src/planning/planner.fixture.js';
import { PlanningServer } from './planning-server.fixture.js';

let server: PlanningServer;
let rehearsal: RehearsalServer;
let engine: Engine;
beforeAll(async () => {
  server = await PlanningServer.start([
    ['ada', 'operator', 'acme'],
    ['bea', 'operator', 'acme'],
  ]);
  rehearsal = await startRehearsalServer({ policies: [plannerPolicy] });
  const profile = modelProfileSchema.parse({ name: 'default', model: 'rehearsal', contextTokens: 200_000 });
  const { baseUrl } = rehearsal;
  const model = createOpenAiModel({ baseUrl, apiKey: '', profile, countTokens: (text) => text.length });
  engine = await createPlanner(server.store, () => ({}), { model: { profile, model, contextTokens: 200_000 } });
});
afterAll(async () => {
  await rehearsal.close();
  await server.stop();
});

const GOAL = 'Prepare for a half marathon in twelve weeks, three evenings a week';
const SILENT = { policy: { autonomy: 'high', probingDepth: 0, conversationStyle: 'concise' } };

/** Submits a plan and drives it to its approval. */
async function draft(name: string, request: Partial<SubmitPlanRequest>): Promise<Plan> {
  const planId = await server.submit(name, { goal: GOAL, zone: 'UTC', ...SILENT, ...request });
  await server.drive(engine, planId, name);
  for (let turn = 0; turn < 4; turn++) {
    const { waitsFor } = await server.as(name).plan(planId);
    if (waitsFor?.kind === 'approval') break;
    await server.as(name).replyToPlan(planId, { text: 'Three hours a week, in the evenings.' });
    await server.drive(engine, planId, name);
  }
  return server.as(name).plan(planId);
}

/** Plans and approves. Waits until lists show it. */
async function approve(name: string, request: Partial<SubmitPlanRequest>): Promise<Plan> {
  const { planId } = await draft(name, request);
  await approvePlan(name, planId);
  return server.as(name).plan(planId);
}

async function approvePlan(name: string, planId: JobId): Promise<void> {
  await server.as(name).replyToPlan(planId, { text: 'approve' });
  await server.drive(engine, planId, name);
  await expect.poll(() => listPlans(name, { planningStatus: 'complete' })).toContain(planId);
}

async function listPlans(name: string, query: Parameters<ReturnType<PlanningServer['as']>['plans']>[0]) {
  const planIds: JobId[] = [];
  for await (const { planId } of server.as(name).plans(query)) planIds.push(planId);
  return planIds;
}

it('a new session about a goal starts from the plan that was approved last, and its words are feedback', async () => {
  const first = await approve('ada', { goalId: 'run' });
  expect(first).toMatchObject({ goalId: 'run', planningStatus: 'complete' });
  expect(first).not.toHaveProperty('continues');
  // Lasting times are for goals that have no plan yet.
  const { capacity } = first.context!;
  await server.as('ada').changePreferences({ capacity: { minutesPerDay: 30, minutesPerWeek: 30 } });

  const request = { goal: 'two evenings a week instead of three', goalId: 'run', idempotencyKey: randomUUID() };
  const second = await draft('ada', request);
  await server.as('ada').changePreferences({ capacity: null });
  const { planId, outline, hashes } = second;
  expect(second).toMatchObject({ goalId: 'run', goal: GOAL, continues: first.planId, stage: 'approval' });
  expect(second.context).toMatchObject({ capacity, dates: { end: (first.context!['dates'] as { end: string }).end } });
  expect(second.messages.slice(0, 2)).toEqual(first.messages.slice(0, 2));
  expect(second.messages.at(-1)).toEqual({ from: 'person', text: request.goal });
  const rules = (plan: Plan) =>
    JSON.stringify(plan.outline)
      .match(/BYDAY=[A-Z,]+/)?.[0]
      .split(',').length;
  expect([rules(first), rules(second)]).toEqual([3, 2]);
  expect(second.adaptations).toMatchObject([
    { entry: { artifact: 'outline', introducedBy: 'user_feedback', why: `The person said: ${request.goal}` } },
  ]);
  expect(outline).toHaveProperty('contextHash', hashes['context']);
  expect(second.roadmap).toHaveProperty('outlineHash', hashes['outline']);
  expect(second.schedule).toHaveProperty('roadmapHash', hashes['roadmap']);

  expect(await listPlans('ada', { goalId: 'run', open: 'true', user: 'ada' })).toEqual([planId]);
  expect(await listPlans('ada', { goalId: 'run', open: 'true', user: 'bea' })).toEqual([]);
  await approvePlan('ada', planId);
  expect(await listPlans('ada', { open: 'true' })).toEqual([]);
  expect(await listPlans('ada', { goalId: 'run' })).toEqual([planId, first.planId]);

  // The same request is the same plan, although another plan of the goal is approved now.
  expect(await server.as('ada').submitPlan({ zone: 'UTC', ...SILENT, ...request })).toEqual({ planId, created: false });
  const third = await draft('ada', { goal: 'longer sessions', goalId: 'run' });
  expect(third).toMatchObject({ continues: planId, goal: GOAL });
  // What was said in earlier sessions still holds.
  expect(rules(third)).toBe(2);
});

it('a plan without a goal id begins a goal of its own', async () => {
  const first = await approve('bea', {});
  expect(first.goalId).toBe(first.planId);
  expect(await listPlans('bea', { goalId: first.planId })).toEqual([first.planId]);
  const second = await draft('bea', { goal: 'two evenings a week', goalId: first.planId });
  expect(second).toMatchObject({ goalId: first.planId, continues: first.planId });
});

it('a session never starts from the plan of another person, nor from one that the request names', async () => {
  const { planId } = await approve('ada', { goalId: 'swim' });
  for (const goalId of ['swim', planId]) {
    const plan = await draft('bea', { goal: 'Learn to juggle in six weeks, two evenings a week', goalId });
    expect(plan).toMatchObject({ goalId, user: 'bea', goal: 'Learn to juggle in six weeks, two evenings a week' });
    expect(plan).not.toHaveProperty('continues');
  }
  for (const field of ['continues', 'earlier', 'addedDocuments', 'documents'])
    expect(await server.post('bea', '/v1/plans', { goal: GOAL, [field]: planId })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
});
