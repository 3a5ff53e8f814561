import { randomUUID } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlanner, playPlan, readSession, SMALL_PLAN } from '../../libs/harness/src/planning/planner.fixture.js';
import { PlanningServer } from './planning-server.fixture.js';

let server: PlanningServer;
beforeAll(async () => {
  server = await PlanningServer.start([
    ['ada', 'operator', 'acme'],
    ['ada', 'operator', 'other'],
    ['bea', 'operator', 'acme'],
    ['dora', 'operator', 'acme'],
    ['emil', 'operator', 'acme'],
    ['carl', 'approver', 'acme'],
  ]);
});
afterAll(() => server.stop());

/** A planner that would ask for the style of conversations in each plan. */
const askingScript = { context: [[['preference_probe', { confidence: 0.9 }] as const, ...SMALL_PLAN.context[0]!]] };
const createAskingPlanner = () => createPlanner(server.store, playPlan(askingScript).policy);

async function makePlan(
  name: string,
  request: Parameters<PlanningServer['submit']>[1] = {},
): Promise<{ readonly planId: JobId; readonly question: string }> {
  const engine = await createAskingPlanner();
  const planId = await server.submit(name, { tenant: 'acme', ...request });
  await server.drive(engine, planId, name);
  return { planId, question: (await server.as(name).plan(planId)).waitsFor!.question };
}

async function readParameters(planId: JobId): Promise<Record<string, unknown>> {
  return JSON.parse(await server.as('ada').readText(planId, 'parameters.json')) as Record<string, unknown>;
}

const STYLE = /concise or conversational/;

describe('the question about the style of conversations', () => {
  it('is asked in the first plan of a person; the answer is a lasting preference', { timeout: 60_000 }, async () => {
    const first = await makePlan('ada');
    expect(first.question).toMatch(STYLE);
    await expect
      .poll(async () => (await readParameters(await server.submit('ada', { tenant: 'acme' })))['wasStyleAsked'])
      .toBe(true);
    // It was asked, so it is not asked again, also while nobody has answered.
    expect((await makePlan('ada')).question).not.toMatch(STYLE);
    expect((await server.as('ada').preferences({ tenant: 'acme' })).set).toEqual([]);

    await server.reply('ada', first.planId, { text: 'Conversational, please.' });
    await server.drive(await createAskingPlanner(), first.planId);
    await expect
      .poll(() => server.as('ada').preferences({ tenant: 'acme' }))
      .toMatchObject({ set: ['conversationStyle'], preferences: { conversationStyle: 'conversational' } });
    const later = await makePlan('ada');
    expect(later.question).not.toMatch(STYLE);
    expect(await readParameters(later.planId)).toMatchObject({ preferences: { conversationStyle: 'conversational' } });
    expect((await server.as('ada').plan(later.planId)).policy).toMatchObject({ conversationStyle: 'conversational' });

    // Neither another tenant nor another person knows the answer.
    expect((await server.as('ada').preferences({ tenant: 'other' })).set).toEqual([]);
    expect((await makePlan('ada', { tenant: 'other' })).question).toMatch(STYLE);
    expect((await makePlan('bea')).question).toMatch(STYLE);

    const cleared = await server.as('ada').changePreferences({ conversationStyle: null }, { tenant: 'acme' });
    expect(cleared).toMatchObject({ set: [], preferences: { conversationStyle: 'standard' } });
    expect((await makePlan('ada')).question).not.toMatch(STYLE);
  });

  it('is not asked of a person who has set the style, or says it for the session', { timeout: 60_000 }, async () => {
    await server.as('dora').changePreferences({ conversationStyle: 'coach' }, { tenant: 'acme' });
    const { planId, question } = await makePlan('dora', { policy: { conversationStyle: 'concise' } });
    expect(question).not.toMatch(STYLE);
    const engine = await createAskingPlanner();
    const session = await readSession(engine, planId);
    expect(session.preferences).toEqual({ conversationStyle: 'coach' });
    expect(session.policy.conversationStyle).toBe('concise');
    // What was said for the session stays with it.
    expect((await server.as('dora').preferences({ tenant: 'acme' })).preferences).toMatchObject({
      conversationStyle: 'coach',
    });
  });
});

it('what another person answers holds for the session only', { timeout: 60_000 }, async () => {
  const { planId, question } = await makePlan('emil');
  expect(question).toMatch(STYLE);
  await server.reply('carl', planId, { text: 'Concise.' });
  const engine = await createAskingPlanner();
  await server.drive(engine, planId);
  expect((await readSession(engine, planId)).policy.conversationStyle).toBe('concise');
  await makePlan('emil');
  expect((await server.as('emil').preferences({ tenant: 'acme' })).set).toEqual([]);
});

describe('a plan', () => {
  it('has the calendar, the capacity and the strategy of its person unless the request says otherwise', async () => {
    const capacity = { minutesPerDay: 60, minutesPerWeek: 300 };
    const strategy = { loading: 'front_loaded', bufferShare: 0.2, preferredWeekdays: ['saturday'] };
    await server.as('ada').changePreferences({ capacity, strategy, tone: 'friendly' }, { tenant: 'acme' });
    const planId = await server.submit('ada', {
      tenant: 'acme',
      capacity: { minutesPerDay: 10, minutesPerWeek: 10 },
    });
    expect(await readParameters(planId)).toMatchObject({
      ...{ capacity: { minutesPerDay: 10, minutesPerWeek: 10 }, strategy, preferences: { tone: 'friendly' } },
    });
    // What changed since then changes no earlier request.
    const request = { tenant: 'acme', goal: 'Learn to sail', idempotencyKey: randomUUID() };
    const first = await server.as('ada').submitPlan(request);
    await server.as('ada').changePreferences({ tone: 'clinical' }, { tenant: 'acme' });
    expect(await server.as('ada').submitPlan(request)).toEqual({ ...first, created: false });
    expect(await readParameters(first.planId)).toMatchObject({ preferences: { tone: 'friendly' } });
    await expect(server.as('ada').submitPlan({ ...request, goal: 'Learn to row' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });
});
