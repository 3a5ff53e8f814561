import { randomUUID } from 'node:crypto';
import type { PhaselineClient, ScheduleFormat } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';
import { createPlanner, playPlan, SMALL_PLAN } from '../../libs/harness/src/planning/planner.fixture.js';
import { PlanningServer } from './planning-server.fixture.js';

let server: PlanningServer;
beforeAll(async () => {
  server = await PlanningServer.start([
    ['ada', 'operator', 'acme'],
    ['bea', 'operator', 'acme'],
    ['carl', 'approver', 'acme'],
  ]);
});
afterAll(() => server.stop());

const as = (name: string): PhaselineClient => server.as(name);

const read = (name: string, planId: JobId, format: ScheduleFormat) =>
  fetch(`${server.orchestrator.url}/v1/plans/${planId}/schedule.${format}`, { headers: server.headers(name) });

describe('a plan over HTTP', () => {
  it('is submitted, read, answered once by its person, and approved', { timeout: 60_000 }, async () => {
    const engine = await createPlanner(server.store, playPlan().policy);
    const planId = await server.submit('ada', { goalId: 'boat' });
    await server.drive(engine, planId);
    const plan = await as('ada').plan(planId);
    expect(plan).toMatchObject({
      ...{ planId, goal: 'Build a boat by the end of January', user: 'ada', stage: 'approval' },
      ...{ planningStatus: 'needs_clarification', patternRfcRequired: false, violations: [] },
      selectedPattern: { patternType: 'milestone_project' },
      waitsFor: { kind: 'approval', subject: 'schedule', contentHash: plan.hashes['schedule'], options: ['approve'] },
    });
    expect(plan.schedule).toHaveProperty('roadmapHash', plan.hashes['roadmap']);
    expect(plan.roadmap).toHaveProperty('outlineHash', plan.hashes['outline']);
    expect(plan.outline).toHaveProperty('contextHash', plan.hashes['context']);

    const contentHash = plan.hashes['schedule']!;
    const outdated = await server.reply('ada', planId, { text: 'approve', contentHash: 'f'.repeat(64) });
    expect(outdated).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
    expect(outdated.body['detail']).toContain(contentHash);
    const another = await server.reply('ada', planId, { text: 'approve', callId: 'another-call' });
    expect(another).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
    expect(await server.reply('bea', planId, { text: 'approve' })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });

    const key = randomUUID();
    const changed = await server.reply('ada', planId, { text: 'propose changes: Glue twice.' }, key);
    const callId = plan.waitsFor!.callId;
    expect(changed).toMatchObject({ status: 200, body: { planId, reply: 'refused', callId } });
    await server.drive(engine, planId);
    const again = await server.reply('ada', planId, { text: 'propose changes: Glue twice.' }, key);
    expect(again.body).toEqual(changed.body);

    const waiting = (await as('ada').plan(planId)).waitsFor!;
    expect(waiting.callId).not.toBe(callId);
    expect(await as('carl').replyToPlan(planId, { text: 'approve' })).toEqual({
      ...{ planId, reply: 'approved', callId: waiting.callId },
    });
    await server.drive(engine, planId);
    const complete = await as('ada').plan(planId);
    expect(complete).toMatchObject({
      ...{ status: 'completed', planningStatus: 'complete', waitsFor: null },
      responseText: 'The schedule is approved.',
    });
    // What was asked for is part of the conversation, before each reply.
    expect(complete.messages.slice(-4)).toEqual([
      { from: 'planner', text: plan.responseText },
      { from: 'person', text: 'Glue twice.' },
      { from: 'planner', text: waiting.question },
      { from: 'person', text: 'approve' },
    ]);
    expect(await server.reply('ada', planId, { text: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'not_waiting' },
    });

    const { costMicroUsd, items } = await as('ada').planTrace(planId);
    const job = await as('ada').get(planId);
    expect(costMicroUsd).toBeGreaterThan(0);
    expect(costMicroUsd).toBe(job.usage.costMicroUsd);
    expect(items.reduce((sum, { costDelta }) => sum + costDelta, 0)).toBe(costMicroUsd);
    expect(items.find(({ tool }) => tool === 'roadmap_builder')).toMatchObject({ stage: 'roadmap', confidence: 0.9 });

    const listed = async (query = {}): Promise<JobId[]> => {
      const planIds: JobId[] = [];
      for await (const item of as('ada').plans(query)) planIds.push(item.planId);
      return planIds;
    };
    await expect.poll(() => listed({ planningStatus: 'complete' })).toEqual([planId]);
    expect(await listed({ goalId: 'boat', patternType: 'milestone_project' })).toEqual([planId]);
    expect(await listed({ goalId: 'another' })).toEqual([]);
  });

  it('is exported as a calendar, a table and a picture that no browser runs', { timeout: 60_000 }, async () => {
    const engine = await createPlanner(server.store, playPlan().policy);
    const planId = await server.submit('ada', { goal: 'Build <script>alert(1)</script> by the end of January' });
    const early = await read('ada', planId, 'svg');
    expect(early.status).toBe(409);
    expect(await early.json()).toMatchObject({ code: 'plan_has_no_schedule' });
    await server.drive(engine, planId);
    const { schedule, messages, tenant } = await as('ada').plan(planId);
    expect(tenant).toBe('acme');
    expect(messages.length).toBeGreaterThan(0);
    expect(messages[0]).toEqual({ from: 'person', text: 'Build <script>alert(1)</script> by the end of January' });
    const tasks = schedule!['tasks'] as readonly { readonly task: string }[];
    expect(tasks.length).toBeGreaterThan(1);

    const root = new ICAL.Component(
      ICAL.parse(await as('ada').planSchedule(planId, 'ics')) as ConstructorParameters<typeof ICAL.Component>[0],
    );
    const ids = root.getAllSubcomponents('vevent').map((event) => String(event.getFirstPropertyValue('uid')));
    expect(ids.toSorted()).toEqual(tasks.map(({ task }) => `${planId}/${task}@phaseline`).toSorted());
    const rows = (await as('ada').planSchedule(planId, 'csv')).trimEnd().split('\r\n');
    expect(rows).toHaveLength(tasks.length + 1);
    expect(rows[0]).toMatch(/^task,title,phase,start,end,zone/);
    const svg = await as('ada').planSchedule(planId, 'svg');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" class="gantt"/);
    expect(svg).not.toContain('<script');

    for (const [format, type] of [
      ['ics', 'text/calendar'],
      ['csv', 'text/csv'],
      ['svg', 'image/svg+xml'],
    ] as const) {
      const { status, headers } = await read('ada', planId, format);
      expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="plan-${planId}.${format}"`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    }
  });

  it('has a trace that says which calls were answered from the memo: they cost nothing, and no money is lost', async () => {
    const validate = ['grammar_validator', {}] as const;
    const [schedule] = SMALL_PLAN.schedule[0]!;
    const script = { schedule: [[validate], [validate, schedule!]] };
    const engine = await createPlanner(server.store, playPlan(script).policy);
    const planId = await server.submit('ada');
    await server.drive(engine, planId);
    const { costMicroUsd, items } = await as('ada').planTrace(planId);
    const remembered = items.filter(({ memo }) => memo);
    expect(remembered).toMatchObject([{ tool: 'grammar_validator', stage: 'schedule', costDelta: 0, confidence: 1 }]);
    expect(remembered[0]!.durationMs).not.toBeNull();
    // The answer of the model that asked for it was paid.
    const paid = items[items.indexOf(remembered[0]!) - 1]!;
    expect(paid).toMatchObject({ tool: null, callId: null, stage: 'schedule', memo: false });
    expect(paid.costDelta).toBeGreaterThan(0);
    expect(items.reduce((sum, { costDelta }) => sum + costDelta, 0)).toBe(costMicroUsd);
    expect((await as('ada').get(planId)).usage.costMicroUsd).toBe(costMicroUsd);
  });

  it('is the same for the same key, and for another person only with the right to act for others', async () => {
    const [goal, idempotencyKey] = ['Learn to sail', randomUUID()];
    const first = await as('ada').submitPlan({ goal, idempotencyKey });
    expect(first.created).toBe(true);
    expect(await as('ada').submitPlan({ goal, idempotencyKey })).toEqual({ ...first, created: false });
    await expect(server.submit('ada', { user: 'bea' })).rejects.toMatchObject({ code: 'forbidden' });
    const asJob = (user: string) => as('ada').submit({ agent: 'planner', parameters: { goal, user } });
    await expect(asJob('bea')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await as('ada').plan((await asJob('ada')).jobId)).user).toBe('ada');
  });

  it.each([
    ['a zone that does not exist', { zone: 'Europe/Atlantis' }, 'zone'],
    ['a blank goal', { goal: ' \u200b ' }, 'goal'],
    ['an end before the start', { start: '2027-02-01', end: '2027-01-01' }, 'end'],
    ['a value that the policy does not have', { policy: { autonomy: 'total' } }, 'policy.autonomy'],
  ])('is refused with %s', async (_, request, path) => {
    const body = { goal: 'Build a boat', ...request };
    const refused = await server.orchestrator.json('/v1/plans', post(body, server.headers('ada')));
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path }] } });
  });

  it('is no other job', async () => {
    const { jobId } = await as('ada').submit({ agent: 'writer' });
    await expect(as('ada').plan(jobId)).rejects.toMatchObject({ code: 'plan_not_found' });
    await expect(as('ada').planSchedule(jobId, 'ics')).rejects.toMatchObject({ code: 'plan_not_found' });
    await expect(as('ada').planTrace(jobId)).rejects.toMatchObject({ code: 'plan_not_found' });
    expect(await server.reply('ada', jobId, { text: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'plan_not_found' },
    });
  });
});
