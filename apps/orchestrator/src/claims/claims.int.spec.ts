import { randomUUID } from 'node:crypto';
import { PhaselineClient, type Claim } from '@phaseline/client';
import type { PhaseEvent } from '@phaseline/domain';
import { MasterKeys } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

/** Submits a job and waits for its first phase, which no worker of this spec takes. */
async function submitted(encrypt = false): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer', ...(encrypt ? { encrypt } : {}) });
  await expect.poll(async () => (await client.state(jobId)).phases.length).toBe(1);
  return jobId;
}

/** All claims of a job, read in pages of this size. */
async function listClaims(jobId: string, limit = 100): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for await (const claim of client.claims(jobId, { limit })) claims.push(claim);
  return claims;
}

const check = { file: { path: 'a.md' } };
const subject = { kind: 'todo' as const, todoId: 1 };
const runs = [{ kind: 'verifier' as const, name: 'unit', callId: 'claim_1_1_1' }];
const failures = [{ check, expected: 'a file a.md', found: 'it does not exist' }];

it('lists refused, accepted and open claims, in pages', async () => {
  const jobId = await submitted();
  const events: readonly PhaseEvent[] = [
    { type: 'ClaimRefused', data: { subject, callId: 'call_1_1_1', failures, message: 'Not done.', inARow: 1 } },
    { type: 'ClaimRaised', data: { claim: 'claim_1_1', subject, callId: 'call_1_2_1', runs } },
    { type: 'ClaimAccepted', data: { claim: 'claim_1_1', subject, callId: 'call_1_2_1' } },
    { type: 'TodoCompleted', data: { todoId: 1, callId: 'call_1_2_1', evidence: [{ check, events: [], files: [] }] } },
    { type: 'ClaimRaised', data: { claim: 'claim_1_2', subject: { kind: 'phase', outcome: 'done' }, runs } },
  ];
  await orchestrator.inPhase(jobId, 1, events);
  const claims = await listClaims(jobId, 1);
  expect(claims.map(({ outcome, runs: asked }) => [outcome, asked.length])).toEqual([
    ['refused', 0],
    ['accepted', 1],
    ['open', 1],
  ]);
  expect(claims[0]).toMatchObject({ phase: 1, callId: 'call_1_1_1', message: 'Not done.', failures });
  expect(claims[1]).toMatchObject({ evidence: [{ check }], event: { streamId: `phase-${jobId}-1` } });
  expect(claims[1]!.raisedAt! <= claims[1]!.event.recordedAt).toBe(true);
  const first = await orchestrator.json(`/v1/jobs/${jobId}/claims?limit=2`);
  expect(first.body).toMatchObject({ items: [{}, {}], nextAfter: claims[1]!.event.position });
});

it('knows no claims of another job, and none of an erased one', async () => {
  expect(await listClaims(await submitted())).toEqual([]);
  await expect(listClaims(randomUUID())).rejects.toMatchObject({ code: 'job_not_found' });
  const jobId = await submitted(true);
  await client.cancel(jobId);
  await client.wait(jobId, { timeoutMs: 60_000 });
  await client.erase(jobId);
  await expect(listClaims(jobId)).rejects.toMatchObject({ code: 'content_erased' });
  expect((await orchestrator.json(`/v1/jobs/${jobId}/claims?limit=0`)).status).toBe(400);
});
