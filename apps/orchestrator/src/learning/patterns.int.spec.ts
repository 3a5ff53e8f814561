import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { getSchemaVersion, jobStream, type PhaseEvent } from '@phaseline/domain';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

function request(type: 'ApprovalRequested' | 'ToolCallRequested', callId: string, path: string): PhaseEvent {
  const call = {
    callId,
    step: 1,
    name: 'write_file',
    arguments: { path },
    lane: 'remote',
    effect: 'once',
    timeoutMs: 1,
  };
  const expiry = type === 'ApprovalRequested' ? { expiresAt: '2099-01-01T00:00:00.000Z' } : {};
  return { type, data: { ...call, traits: [], ...expiry } } as unknown as PhaseEvent;
}

const refused = (callId: CallId): PhaseEvent => ({
  type: 'ApprovalRefused',
  data: { callId, actor: 'ada', reason: 'no' },
});
const ended = (callId: string): PhaseEvent =>
  ({ type: 'ToolCallCompleted', data: { callId, content: '', attempts: 1, durationMs: 1 } }) as PhaseEvent;

async function completeJob(jobId: JobId): Promise<void> {
  const data = { summary: 'done', deliverables: [], confidence: 1, notes: '', evidence: [] };
  const event = { type: 'JobCompleted', schemaVersion: getSchemaVersion('JobCompleted'), data, metadata: {} } as const;
  await orchestrator.store.append({
    ...{ streamId: jobStream(jobId), correlationId: jobId, expectedVersion: 'any' },
    events: [{ eventId: randomUUID(), ...event }],
  });
}

it('calls that a person refused five times are a pattern, whose rule matches no accepted call of a completed job', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  const paths = ['docs/a.md', 'docs/b.md', 'docs/c.md', 'test/d.md', 'test/e.md'];
  await orchestrator.inPhase(jobId, 1, [
    phaseEvents.answered(1),
    ...paths.flatMap((path, index) => [
      request('ApprovalRequested', `c${index}`, path),
      refused(`c${index}` as CallId),
    ]),
  ]);
  await expect.poll(() => client.learning.patterns(), { timeout: 20_000 }).toHaveLength(1);
  const [pattern] = await client.learning.patterns();
  expect(pattern).toMatchObject({
    ...{ tenant: 'default', agent: 'writer', reason: 'person_refused', point: 'PermissionRequest', tool: 'write_file' },
    ...{ shape: 'path:string', proposals: ['change_instructions', 'new_rule'], support: 5, jobs: 1 },
    ...{ tokens: 5 * 105, costMicroUsd: 5 * 9 },
  });
  const { trace, position } = pattern!.examples[0]!;
  expect((await client.learningTrace(trace)).position).toBe(position);
  expect(await client.learning.patterns({ agent: 'other' })).toEqual([]);
  expect(await client.learning.patterns({ since: '2099-01-01T00:00:00Z' })).toEqual([]);
  const readArgs = async () => (await client.learning.proposeGuard(pattern!.id)).guard?.['when'];
  expect(await readArgs()).toMatchObject({
    agent: 'writer',
    tool: 'write_file',
    args: { path: { matches: '\\.md$' } },
  });

  const accepted = await client.submit({ agent: 'writer' });
  await orchestrator.inPhase(accepted.jobId, 1, [
    ...[request('ToolCallRequested', 'c1', 'src/readme.md'), ended('c1')],
    // It was not accepted.
    request('ToolCallRequested', 'c2', 'docs/f.md'),
  ]);
  await completeJob(accepted.jobId);
  const docs = { args: { path: { matches: '^docs/(?s:.*)\\.md$' } } };
  await expect.poll(readArgs, { timeout: 20_000 }).toMatchObject({
    any: [docs, { args: { path: { matches: '^test/(?s:.*)\\.md$' } } }],
  });
  await expect(client.learning.proposeGuard('0123456789abcdef')).rejects.toMatchObject({ code: 'pattern_not_found' });
});
