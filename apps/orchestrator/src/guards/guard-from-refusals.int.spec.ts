import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { getSchemaVersion, jobStream, type PhaseEvent } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { Principals, type Right } from '@phaseline/identity';
import { GuardWatch } from '@phaseline/orchestration';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { administrator } from '../testing/two-tenants.js';

/** A workflow of one phase, which offers the tools of the agent. */
const WORKFLOW = `
name: direct
version: 1
start: work
states:
  work:
    kind: tactical
    title: Work
    todos: [Write]
    finish: done
    outcomes:
      done: { end: completed }
`;
const AGENT = `
name: scribe
displayName: Scribe
workflow: direct
tools: { workspace: [read_file, write_file] }
approvals: { tools: [write_file] }
`;

const tenant = 'acme';

let orchestrator: OrchestratorForSpecs;
let pool: pg.Pool;
let principals: Principals;
const as: Record<string, PhaselineClient> = {};

beforeAll(async () => {
  const files = {
    'workflows/direct.yaml': WORKFLOW,
    'agents/scribe/agent.yaml': AGENT,
    'agents/scribe/instructions.md': '# Write\n',
  };
  orchestrator = await startOrchestrator({}, { files });
  pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  principals = new Principals(pool, orchestrator.store);
  for (const [id, role] of Object.entries({
    ada: 'author',
    ben: 'approver',
    olga: 'operator',
    eve: 'author',
  } as const)) {
    await principals.create(administrator, id, 'person');
    await principals.grant(administrator, id, role, id === 'eve' ? 'other' : tenant);
    const { key } = await principals.createKey(administrator, id, { label: 'spec' });
    as[id] = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
  }
});
afterAll(async () => {
  await pool?.end();
  await orchestrator?.stop();
});

/** A client with a key of the author that has these rights alone. */
async function readWith(rights: readonly Right[]): Promise<PhaselineClient> {
  const { key } = await principals.createKey(administrator, 'ada', { label: 'narrow', rights: [...rights] });
  return new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
}

const submit = async () => (await as['olga']!.submit({ agent: 'scribe', instructions: 'Go.', tenant })).jobId;

/** An answer that asks for one call, and that call as it waits for a person. A backtest asks the guard about the call of the answer. */
function requestWrite(step: number, path: string): readonly PhaseEvent[] {
  const callId = `c${step}` as CallId;
  const call = { callId, name: 'write_file', arguments: { path, content: 'text' } };
  const answered = phaseEvents.answered(step) as Extract<PhaseEvent, { type: 'ModelResponded' }>;
  return [
    { ...answered, data: { ...answered.data, calls: [call] } },
    {
      type: 'ApprovalRequested',
      data: {
        ...{ ...call, step, lane: 'inline', effect: 'idempotent', traits: [], timeoutMs: 1_000 },
        expiresAt: '2099-01-01T00:00:00.000Z',
      },
    },
  ] as readonly PhaseEvent[];
}

/** The call of a job that waits for a person. */
async function findWaiting(jobId: JobId): Promise<{ readonly callId: CallId; readonly argumentsHash: string }> {
  const find = async () => {
    for await (const item of as['ben']!.inbox({ tenant }))
      if (item.jobId === jobId && item.approval)
        return { callId: item.callId!, argumentsHash: item.approval.argumentsHash };
    return undefined;
  };
  await expect.poll(find).toBeDefined();
  return (await find())!;
}

async function completeJob(jobId: JobId): Promise<void> {
  const data = { summary: 'done', deliverables: [], confidence: 1, notes: '', evidence: [] };
  const event = { type: 'JobCompleted', schemaVersion: getSchemaVersion('JobCompleted'), data, metadata: {} } as const;
  await orchestrator.store.append({
    ...{ streamId: jobStream(jobId), correlationId: jobId, expectedVersion: 'any' },
    events: [{ eventId: randomUUID(), ...event }],
  });
}

it('five refusals become a rule whose backtest hits them, which has an effect until a person overrides it', async () => {
  const refusedIn = await submit();
  for (const [index, path] of ['docs/a.md', 'docs/b.md', 'docs/c.md', 'docs/d.md', 'docs/e.md'].entries()) {
    await orchestrator.inPhase(refusedIn, 1, requestWrite(index + 1, path));
    const callId = `c${index + 1}` as CallId;
    await as['ben']!.control(refusedIn, 'refuse', { callId, reason: 'documents are written by people' });
  }
  const approvedIn = await submit();
  await orchestrator.inPhase(approvedIn, 1, requestWrite(1, 'src/readme.txt'));
  await as['ben']!.control(approvedIn, 'approve', await findWaiting(approvedIn));
  await orchestrator.inPhase(approvedIn, 1, [
    { type: 'ToolCallCompleted', data: { callId: 'c1', content: '', attempts: 1, durationMs: 1 } } as PhaseEvent,
  ]);
  await completeJob(approvedIn);

  const listPatterns = () => as['ada']!.learning.patterns();
  await expect.poll(async () => (await listPatterns())[0]?.support).toBe(5);
  const [pattern] = await listPatterns();
  const { guard: proposed } = await as['ada']!.learning.proposeGuard(pattern!.id);
  const rule = proposed!;
  expect(rule).toMatchObject({
    stage: 'draft',
    when: { agent: 'scribe', tool: 'write_file' },
    then: { deny: expect.any(String) },
  });
  const name = String(rule['name']);
  // Its owner knows that five refusals are all that there are, and wants it back after one override.
  const limits = { maxOverrides: 0, automatic: true };
  await as['ada']!.guards.add({ tenant, guard: { ...rule, minLabelled: 5, limits } });

  const { backtest } = await as['ada']!.guards.backtest(name, { tenant });
  expect(backtest).toMatchObject({ jobs: 2, calls: 6, hits: 5, labelled: 6, possiblyWrong: 0, isComplete: true });
  expect(backtest.examples[0]).toMatchObject({ jobId: refusedIn, effect: 'deny', became: 'refused' });

  // The examples are of jobs: who may read guards alone sees none. Who may not read files and guards gets no proposals.
  const narrow = await readWith(['guards:read']);
  expect((await narrow.guards.get(name, { tenant })).versions[0]!.backtests).toMatchObject([{ hits: 5, examples: [] }]);
  await expect(narrow.learning.patterns()).rejects.toMatchObject({ code: 'forbidden' });
  const proposals = (right: readonly Right[], id = pattern!.id) =>
    readWith(right).then((one) => one.learning.proposals(id));
  await expect(proposals(['jobs:read'])).rejects.toMatchObject({ code: 'forbidden' });
  await expect(proposals(['jobs:read', 'files:read'])).rejects.toMatchObject({ code: 'forbidden' });
  expect((await proposals(['jobs:read', 'files:read', 'guards:read'])).proposals).toHaveLength(2);
  // A pattern of another tenant does not exist.
  await expect(as['eve']!.learning.proposals(pattern!.id)).rejects.toMatchObject({ code: 'pattern_not_found' });

  const { version } = (await as['ada']!.guards.get(name, { tenant })).versions[0]!;
  const basis = { cause: 'outcomes_worse', figure: '5 of 6 approvals refused' } as const;
  for (const to of ['shadow', 'production'] as const) {
    await as['ben']!.guards.promote(name, { tenant, version, to, basis, reason: 'refused each time' });
    const { start } = await startPhase(await submit());
    expect(start.terms.guards).toMatchObject([{ name, scope: 'tenant', stage: to, version }]);
  }

  const watch = orchestrator.get(GuardWatch);
  expect(await watch.rollBackExceeded()).toEqual([]);
  const denied = await submit();
  await startPhase(denied);
  await as['ben']!.guards.override(denied, name, { reason: 'these documents are generated' });
  await expect
    .poll(() => watch.rollBackExceeded())
    .toMatchObject([{ name, basis: { figure: '1 override, more than 0' } }]);
  const { versions, changes } = await as['ada']!.guards.get(name, { tenant });
  expect(versions[0]!.stage).toBe('draft');
  expect(changes[0]).toMatchObject({
    ...{ actor: 'guard-watch', from: 'production', to: 'draft', cause: 'rolled_back' },
    basis: { cause: 'outcomes_worse', figure: '1 override, more than 0' },
  });
  expect((await startPhase(await submit())).start.terms.guards ?? []).toEqual([]);
});

/** Waits until the first phase of a job is in the log. */
async function startPhase(jobId: JobId) {
  await expect.poll(() => orchestrator.repository.loadPhase(jobId, 1)).toBeDefined();
  return (await orchestrator.repository.loadPhase(jobId, 1))!;
}
