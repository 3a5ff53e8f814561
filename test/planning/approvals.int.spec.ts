import { randomUUID } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createPlanner,
  listEvents,
  playPlan,
  readArtifact,
  readSession,
  SMALL_PLAN,
} from '../../libs/harness/src/planning/planner.fixture.js';
import { PlanningServer } from './planning-server.fixture.js';

const WEEK_MS = 7 * 24 * 3_600_000;

let server: PlanningServer;
beforeAll(async () => {
  server = await PlanningServer.start([
    ['ada', 'operator', 'acme'],
    ['bea', 'operator', 'acme'],
    ['carl', 'approver', 'acme'],
    ['dora', 'operator', 'other'],
  ]);
});
afterAll(() => server.stop());

type Script = Parameters<typeof playPlan>[0];

/** Makes a plan of ada that waits for the approval of its schedule. */
async function waitForApproval(script: Script = {}) {
  const { policy, requests } = playPlan(script);
  const engine = await createPlanner(server.store, policy);
  const planId = await server.submit('ada');
  await server.drive(engine, planId);
  const wait = await readWait(planId);
  return { engine, planId, wait, requests };
}

async function readWait(planId: JobId) {
  const { waitsFor } = await server.as('ada').plan(planId);
  if (waitsFor?.kind !== 'approval') throw new Error(`plan ${planId} waits for no approval`);
  return waitsFor;
}

const control = (name: string, planId: JobId, action: 'approve' | 'refuse' | 'answer', body: object) =>
  server.post(name, `/v1/jobs/${planId}/${action}`, body);

const refusal = (status: number, code: string, detail: RegExp = /./) => ({
  status,
  body: { code, detail: expect.stringMatching(detail) },
});

/** The outline of the small plan in which sawing takes other minutes. */
function changeSawing(minutes: number): (typeof SMALL_PLAN)['outline'][number] {
  return SMALL_PLAN.outline[0]!.map(([name, args]) => {
    const { nodes } = args as { readonly nodes?: readonly { readonly id: string }[] };
    if (!nodes) return [name, args] as const;
    const changed = nodes.map((node) => (node.id === 'saw' ? { ...node, estimate_minutes: minutes } : node));
    return [name, { ...args, nodes: changed }] as const;
  });
}

describe('an approval of a plan', () => {
  it('given twice has the first answer for the same key, and is refused for another', { timeout: 60_000 }, async () => {
    const { engine, planId, wait } = await waitForApproval();
    const key = randomUUID();
    const first = await server.reply('ada', planId, { text: 'approve' }, key);
    expect(first).toMatchObject({ status: 200, body: { reply: 'approved', callId: wait.callId } });
    expect(await server.reply('ada', planId, { text: 'approve' }, key)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect(await server.reply('ada', planId, { text: 'propose changes: Glue twice.' }, key)).toMatchObject(
      refusal(409, 'idempotency_conflict'),
    );
    const decided = refusal(409, 'already_decided', /already approved by ada/);
    for (const text of ['approve', 'propose changes: Glue twice.'])
      expect(await server.reply('carl', planId, { text })).toMatchObject(decided);
    const { callId, argumentsHash } = wait;
    expect(await control('carl', planId, 'refuse', { callId, reason: 'No.' })).toMatchObject(decided);
    expect(await control('carl', planId, 'approve', { callId, argumentsHash })).toMatchObject(decided);
    await server.drive(engine, planId);
    expect(await server.as('ada').plan(planId)).toMatchObject({ planningStatus: 'complete' });
    expect(await server.reply('ada', planId, { text: 'approve' }, key)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect(await server.reply('ada', planId, { text: 'approve' })).toMatchObject(refusal(409, 'not_waiting'));
  });

  it('that expired is refused, and the new request is named', { timeout: 60_000 }, async () => {
    const { engine, planId, wait } = await waitForApproval();
    engine.advanceTime(WEEK_MS + 1_000);
    await engine.reconcile();
    await server.drive(engine, planId);
    await expect.poll(async () => (await readWait(planId)).callId).not.toBe(wait.callId);
    const renewed = await readWait(planId);
    expect(renewed.contentHash).toBe(wait.contentHash);
    const { callId, argumentsHash, contentHash } = wait;
    const expired = refusal(409, 'deadline_passed', new RegExp(renewed.callId));
    expect(await server.reply('ada', planId, { text: 'approve', callId, contentHash })).toMatchObject(expired);
    expect(await control('carl', planId, 'approve', { callId, argumentsHash })).toMatchObject(expired);
    expect(await server.reply('ada', planId, { text: 'approve', callId: 'call-none' })).toMatchObject(
      refusal(409, 'approval_outdated'),
    );
    expect(await server.reply('ada', planId, { text: 'approve', callId: renewed.callId })).toMatchObject({
      status: 200,
    });
    await server.drive(engine, planId);
    expect(await server.as('ada').plan(planId)).toMatchObject({ planningStatus: 'complete' });
  });

  it('is bound to the hash of the artifact', { timeout: 60_000 }, async () => {
    const { engine, planId, wait } = await waitForApproval({ outline: [SMALL_PLAN.outline[0]!, changeSawing(120)] });
    const first = wait.contentHash!;
    await server.reply('ada', planId, { text: 'propose changes: Saw for two hours.', contentHash: first });
    await server.drive(engine, planId);
    const renewed = await readWait(planId);
    expect(renewed.contentHash).not.toBe(first);
    const outdated = refusal(409, 'approval_outdated', new RegExp(renewed.contentHash!));
    expect(await server.reply('ada', planId, { text: 'approve', contentHash: first })).toMatchObject(outdated);
    const { callId } = renewed;
    expect(await control('carl', planId, 'approve', { callId, argumentsHash: wait.argumentsHash })).toMatchObject(
      refusal(409, 'version_mismatch'),
    );
    expect(await readWait(planId)).toEqual(renewed);
  });

  it('with other arguments is refused', { timeout: 60_000 }, async () => {
    const { engine, planId, wait } = await waitForApproval();
    const { callId, argumentsHash } = wait;
    const args = { kind: 'schedule', job: planId, content_hash: 'f'.repeat(64), summary: 'Something else.' };
    expect(await control('carl', planId, 'approve', { callId, argumentsHash, arguments: args })).toMatchObject(
      refusal(409, 'request_refused', /no other arguments/),
    );
    expect(await listEvents(engine, planId, 'ToolCallAmended')).toEqual([]);
    expect(await control('carl', planId, 'approve', { callId, argumentsHash })).toMatchObject({ status: 200 });
    await server.drive(engine, planId);
    expect(await server.as('ada').plan(planId)).toMatchObject({ planningStatus: 'complete' });
  });

  it('is refused to everyone but the person of the plan and those with the right', { timeout: 60_000 }, async () => {
    const { engine, planId, wait } = await waitForApproval();
    const { callId, argumentsHash } = wait;
    expect(await server.reply('bea', planId, { text: 'approve' })).toMatchObject(
      refusal(403, 'forbidden', /plans:approve/),
    );
    expect(await control('bea', planId, 'approve', { callId, argumentsHash })).toMatchObject(refusal(403, 'forbidden'));
    // A key for approvals of tool calls alone does not decide about plans.
    const key = await server.createLimitedKey('carl', ['approvals:decide', 'jobs:read']);
    const limited = (path: string, body: object) => server.postWithKey(key, `/v1/jobs/${planId}/${path}`, body);
    expect(await limited('approve', { callId, argumentsHash })).toMatchObject(
      refusal(403, 'forbidden', /plans:approve/),
    );
    expect(await limited('refuse', { callId })).toMatchObject(refusal(403, 'forbidden', /plans:approve/));
    expect(await server.reply('dora', planId, { text: 'approve' })).toMatchObject({ status: 404 });
    expect(await readWait(planId)).toEqual(wait);
    expect(await server.reply('carl', planId, { text: 'approve' })).toMatchObject({ status: 200 });
    await server.drive(engine, planId);
    expect(await server.as('ada').plan(planId)).toMatchObject({ planningStatus: 'complete' });
  });
});

it(
  'a proposed change is part of the next draft, which says that the person wanted it',
  { timeout: 60_000 },
  async () => {
    const script = { outline: [SMALL_PLAN.outline[0]!, changeSawing(120)] };
    const { engine, planId, requests } = await waitForApproval(script);
    const before = requests.length;
    const text = 'propose changes: Saw for two hours only.';
    expect(await server.reply('ada', planId, { text })).toMatchObject({ status: 200, body: { reply: 'refused' } });
    await server.drive(engine, planId);
    expect(JSON.stringify(requests[before]!.messages)).toContain('Saw for two hours only.');
    const { nodes } = (await readArtifact(engine, planId, 'outline')) as unknown as { nodes: JsonObject[] };
    expect(nodes.find(({ id }) => id === 'saw')).toMatchObject({ origin: 'user_feedback' });
    expect((await server.as('ada').plan(planId)).adaptations).toMatchObject([
      { entry: { node: 'saw', introducedBy: 'user_feedback' } },
    ]);
  },
);

it('what became of the drafts is compared with their confidence', async () => {
  // Four plans of three drafts were approved; two others were changed, from the outline on.
  const expected = { approved: 12, changed: 6, invalid: 0, aborted: 0 };
  const read = () => server.as('ada').calibration({ agent: 'planner' });
  await expect.poll(async () => (await read()).items.map(({ counts }) => counts)).toEqual([expected]);
  const { items } = await read();
  const { agent, meanConfidence, shareApproved, overConfidence, interval, bands } = items[0]!;
  expect(agent).toBe('planner');
  expect(shareApproved).toBeCloseTo(12 / 18);
  expect(overConfidence).toBeCloseTo(meanConfidence! - 12 / 18);
  expect(interval![0]).toBeLessThan(overConfidence!);
  expect(bands.reduce((sum, band) => sum + band.counts.approved + band.counts.changed, 0)).toBe(18);
  const nothing = { items: [] };
  expect(await server.as('ada').calibration({ since: '2199-01-01T00:00:00Z' })).toEqual(nothing);
  expect(await server.as('ada').calibration({ model: 'another' })).toEqual(nothing);
  expect(await server.as('dora').calibration()).toEqual(nothing);
});

describe('a pattern that a person approved', () => {
  const proposal = { level: 'subtype', name: 'proposed:boat_building', rfc: 'No subtype knows glue that dries.' };
  const proposing = {
    outline: [
      SMALL_PLAN.outline[0]!.map(([name, args]) =>
        name === 'pattern_selector' ? ([name, { ...args, proposal }] as const) : ([name, args] as const),
      ),
    ],
  };

  it('is known to later plans of the tenant, and to no other', { timeout: 60_000 }, async () => {
    const request = { goal: 'Build another boat', idempotencyKey: randomUUID() };
    const earlier = await server.as('ada').submitPlan(request);
    const engine = await createPlanner(server.store, playPlan(proposing).policy);
    const planId = await server.submit('ada');
    await server.drive(engine, planId);
    expect(await server.as('ada').plan(planId)).toMatchObject({
      patternRfcRequired: true,
      waitsFor: { kind: 'question' },
    });
    const { waitsFor } = await server.as('ada').plan(planId);
    if (waitsFor?.kind !== 'question') throw new Error('the plan waits for no answer');
    const { callId, questionHash } = waitsFor;
    const answer = { callId, questionHash, answer: 'approve' };
    expect(await control('bea', planId, 'answer', answer)).toMatchObject(refusal(403, 'forbidden', /plans:approve/));
    expect(await server.reply('ada', planId, { text: 'approve' })).toMatchObject({ body: { reply: 'answered' } });
    await server.drive(engine, planId);
    const approved = (await readSession(engine, planId)).approvedProposals;
    expect(approved).toHaveLength(1);

    const readApproved = async (name: string): Promise<unknown> => {
      const id = await server.submit(name);
      return (JSON.parse(await server.as(name).readText(id, 'parameters.json')) as JsonObject)['approvedProposals'];
    };
    await expect.poll(() => readApproved('bea')).toEqual(approved);
    expect(await readApproved('dora')).toBeUndefined();
    // The same request is the same plan, also after the approval.
    expect(await server.as('ada').submitPlan(request)).toEqual({ ...earlier, created: false });

    const second = await server.submit('bea');
    await server.drive(engine, second);
    expect(await server.as('ada').plan(second)).toMatchObject({
      ...{ waitsFor: { kind: 'approval' }, selectedPattern: { subtype: 'proposed:boat_building' } },
    });
    const elsewhere = await server.submit('dora');
    await server.drive(engine, elsewhere, 'dora');
    expect(await server.as('dora').plan(elsewhere)).toMatchObject({ patternRfcRequired: true });
  });
});
