import { randomUUID } from 'node:crypto';
import { MasterKeys, createPool } from '@phaseline/event-store';
import { buildModelCallStarted } from '@phaseline/domain/testing';
import { Principals, type Caller } from '@phaseline/identity';
import type { JobId } from '@phaseline/contracts';
import { DeadLetters } from '@phaseline/cluster';
import type pg from 'pg';
import { buildGuard } from './build-guard.js';
import { phaseEvents, post, startOrchestrator, type OrchestratorForSpecs } from './orchestrator-for-specs.js';

/** Things of one tenant. Every name and text contains `word`. */
export interface TenantThings {
  readonly tenant: string;
  readonly word: string;
  /** A job on hold in its first phase, with a model call, a question, an approval that is waited for, and files. */
  readonly jobId: JobId;
  /** A job that waits for the import of its repository. */
  readonly repositoryJobId: JobId;
  readonly filePath: string;
  readonly callId: string;
  readonly secretName: string;
  /** A draft of a guard of the tenant. */
  readonly guardName: string;
  readonly principalId: string;
  readonly keyPrefix: string;
  readonly deadLetterId: string;
  readonly retentionRunId: string;
  readonly learningTraceId: string;
  /** Position of the first event of the job. */
  readonly position: string;
}

export interface TwoTenants {
  readonly orchestrator: OrchestratorForSpecs;
  readonly principals: Principals;
  readonly pool: pg.Pool;
  readonly own: TenantThings;
  readonly other: TenantThings;
  /** Things that do not exist. */
  readonly missing: TenantThings;
  /** Creates a principal with roles, and returns its key. */
  createCaller(
    roles: readonly { readonly role: Caller['roles'][number]['role']; readonly tenant: string }[],
    limits?: Caller['limits'],
  ): Promise<{ readonly id: string; readonly key: string }>;
  stop(): Promise<void>;
}

/** The administrator who prepares everything. */
export const administrator: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

/** Starts an orchestrator with stored keys and the same kinds of things in two tenants. */
export async function startTwoTenants(): Promise<TwoTenants> {
  const orchestrator = await startOrchestrator(
    {
      PHASELINE_MASTER_KEY: MasterKeys.generate(),
      // Of two tenants with a limit, the jobs of both wait for slots.
      PHASELINE_MAX_PHASES_PER_TENANT: '1',
    },
    // Its results do not matter here, and it takes seconds.
    { whatIfProgram: ['-e', ''] },
  );
  const pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  const principals = new Principals(pool, orchestrator.store);
  const createCaller: TwoTenants['createCaller'] = async (roles, limits = {}) => {
    const id = `caller-${randomUUID()}`;
    await principals.create(administrator, id, 'person');
    for (const { role, tenant } of roles) await principals.grant(administrator, id, role, tenant);
    return { id, key: (await principals.createKey(administrator, id, { label: 'spec', ...limits })).key };
  };
  const { key } = await createCaller([{ role: 'admin', tenant: '*' }]);
  const parts = { orchestrator, principals, pool, key };
  return {
    ...{ orchestrator, principals, pool, createCaller },
    own: await createThings(parts, 'acme'),
    other: await createThings(parts, 'zwynquox'),
    missing: {
      ...{ tenant: 'nobody-there', word: 'nothing', jobId: randomUUID(), repositoryJobId: randomUUID() },
      ...{ filePath: 'documents/nothing.md', callId: 'call_nothing', secretName: 'NOTHING', guardName: 'nothing' },
      ...{ principalId: 'nobody', keyPrefix: '00000000', deadLetterId: '999999', position: '1' },
      ...{ retentionRunId: randomUUID(), learningTraceId: randomUUID() },
    },
    stop: async () => {
      await pool.end();
      await orchestrator.stop();
    },
  };
}

async function createThings(
  { orchestrator, principals, pool, key }: Pick<TwoTenants, 'orchestrator' | 'principals' | 'pool'> & { key: string },
  word: string,
): Promise<TenantThings> {
  const tenant = word;
  const authorization = `Bearer ${key}`;
  const send = async (path: string, body: object, method = 'POST'): Promise<Record<string, unknown>> => {
    const response = await orchestrator.json(path, { ...post(body, { authorization }), method });
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const submission = { agent: 'writer', tenant, instructions: word, labels: { [word]: word } };
  const documents = [{ name: `${word}.md`, content: word }];
  // Both tenants use the same idempotency key.
  const { jobId } = await send('/v1/jobs', { ...submission, documents, idempotencyKey: 'order-1' });
  const repository = { path: `/srv/${word}`, ref: word };
  const { jobId: repositoryJobId } = await send('/v1/jobs', { ...submission, repository });
  const callId = `call_${word}`;
  await orchestrator.inPhase(String(jobId), 1, [
    buildModelCallStarted(1),
    { type: 'ModelResponded', data: { ...answer(word), calls: [{ callId, name: 'read_file', arguments: {} }] } },
    { type: 'ApprovalRequested', data: { ...call(word, `${callId}_approval`), expiresAt: '2099-01-01T00:00:00.000Z' } },
    { type: 'ToolCallRequested', data: call(word, callId) },
    {
      type: 'QuestionAsked',
      data: {
        ...{ callId, question: `What is ${word}?`, options: [word], questionHash: 'a'.repeat(64) },
        ...{ askedAt: '2030-01-01T00:00:00.000Z', deadlineAt: '2099-01-01T00:00:00.000Z' },
      },
    },
  ]);
  const secretName = word.toUpperCase();
  await send(`/v1/secrets/${secretName}`, { tenant, value: `${word}-value` }, 'PUT');
  const guardName = `guard-of-${word}`;
  await send('/v1/guards', { tenant, guard: buildGuard(guardName) });
  await send(`/v1/tenants/${tenant}`, { maxRunningPhases: 1 }, 'PUT');
  const principalId = `person-${word}`;
  await principals.create(administrator, principalId, 'person');
  await principals.grant(administrator, principalId, 'viewer', tenant);
  const { stored } = await principals.createKey(administrator, principalId, { label: word });
  await pool.query(
    `INSERT INTO phaseline.processes (process_id, service, host, leases) VALUES ($1, 'tactical-worker', 'box', $2)`,
    [`worker-of-${tenant.length}`, [`phase-${String(jobId)}-1/${callId}`]],
  );
  const learningTraceId = randomUUID();
  await pool.query(
    `INSERT INTO phaseline.learning_traces (id, position, tenant, project, job_id, recorded_at, type, source, action, reason, agent, happened)
     VALUES ($1, 1, $2, $2, $3, now(), 'violation', 'auto_detected', 'note', 'other', 'writer', $2)`,
    [learningTraceId, tenant, jobId],
  );
  await send(`/v1/jobs/${String(jobId)}/hold`, { reason: `case ${word}` }, 'PUT');
  await send(`/v1/tenants/${tenant}/retention`, { filesDays: 3_650 }, 'PUT');
  const { runId } = await send('/v1/retention/runs', { tenant, dryRun: true });
  const payload = { json: { ...submission, agent: word } };
  const letter = { queue: 'jobs', messageId: word, payload, reason: `no agent ${word}`, attempts: 1 } as const;
  const deadLetterId = String(await new DeadLetters(pool).add(letter));
  const [submitted] = await orchestrator.store.readCorrelation(String(jobId), { limit: 1 });
  return {
    position: String(submitted!.position),
    ...{ tenant, word, jobId: String(jobId), repositoryJobId: String(repositoryJobId), callId, secretName, guardName },
    ...{ filePath: `documents/${word}.md`, principalId, keyPrefix: stored.prefix, deadLetterId },
    ...{ retentionRunId: String(runId), learningTraceId },
  };
}

/** Data of a model's answer. */
function answer(word: string) {
  const event = phaseEvents.answered(1);
  if (event.type !== 'ModelResponded') throw new Error('expected an answer');
  return { ...event.data, content: `about ${word}` };
}

function call(word: string, callId: string) {
  const how = { lane: 'remote', effect: 'pure', traits: [] as never[], timeoutMs: 60_000 } as const;
  return { ...how, callId, step: 1, name: 'read_file', arguments: { path: `documents/${word}.md` } };
}
