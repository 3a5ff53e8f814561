import { getAdmittedCall, isEncryptedJob, jobStream, phaseStream, redactEvent, REDACTED_TEXT } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys, verifyChain } from '@phaseline/event-store';
import { peoplePack } from '@phaseline/inline-packs';
import { JobRepository, Snapshots } from '@phaseline/repository';
import { eraseJob } from '@phaseline/orchestration';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { Forks, TimeTravel } from '@phaseline/time-travel';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestControl } from './control.fixture.js';
import { Engine } from './engine.js';
import { calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

const SECRET = 'Zwynsecretquox';
let database: TestDatabase;
let pool: Pool;
let store: EventStore;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 8 });
  store = new EventStore(pool, {
    encryption: { masterKeys: MasterKeys.parse(MasterKeys.generate()), redact: redactEvent, keyCacheMs: 0 },
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const clock = { now: () => new Date() };

const tellPack: ToolPack = {
  name: 'tell',
  tools: [
    defineRemoteTool({
      name: 'tell',
      description: '',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({ what: z.string() }),
      run: async (context, { what }) => ({
        content: `${what} of ${String(await context.workspace.read('instructions.md'))}`,
        files: [{ path: `told/${SECRET}.txt`, content: new TextEncoder().encode(SECRET) }],
      }),
    }),
  ],
};

/** Runs an encrypted job of three phases with a tool of each lane and the secret in every field. */
async function runEncryptedJob(): Promise<{ readonly engine: Engine; readonly jobId: string }> {
  const engine = new Engine({
    store,
    packs: [tellPack],
    agent: {
      tools: {
        workspace: ['read_file', 'write_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: ['tell'],
      },
    },
    policy: createThreePhasePolicy((request) => {
      if (parsePrompt(request).turn === 0)
        return calls(['tell', { what: SECRET }], ['write_file', { path: `${SECRET}.md`, content: SECRET }]);
      return { ...calls(['todo_complete', { note: SECRET }]), content: SECRET };
    }),
  });
  const jobId = await engine.submitAndRun({
    encrypt: true,
    instructions: SECRET,
    labels: { a: SECRET },
    parameters: { b: SECRET },
  });
  return { engine, jobId };
}

describe('an encrypted job', () => {
  it('runs in the same engine and ends like any other job', async () => {
    const { engine, jobId } = await runEncryptedJob();
    expect(isEncryptedJob(jobId)).toBe(true);
    const job = await engine.repository.loadJob(jobId);
    expect(job).toMatchObject({ status: 'completed', phases: 3 });
    expect(job?.submitted.labels).toEqual({ a: SECRET });
    const phase = await engine.repository.loadPhase(jobId, 2);
    expect(Object.keys(phase!.tree)).toEqual(expect.arrayContaining([`${SECRET}.md`, `told/${SECRET}.txt`]));
    expect(Buffer.from((await store.blobs.forJob(jobId).get(phase!.tree[`${SECRET}.md`]!.hash))!).toString()).toBe(
      SECRET,
    );
    expect(await verifyChain(pool)).toMatchObject({ problems: [] });
  });

  it('folds without its key to the same status, phases, todos, calls and spending', async () => {
    const { engine, jobId } = await runEncryptedJob();
    const [job, phase] = [await engine.repository.loadJob(jobId), await engine.repository.loadPhase(jobId, 2)];
    expect(await eraseJob({ store, clock }, jobId, { actor: { id: 'ada', kind: 'process' }, reason: 'asked' })).toEqual(
      { kind: 'erased' },
    );

    const repository = new JobRepository(store);
    const [jobAfter, phaseAfter] = [await repository.loadJob(jobId), await repository.loadPhase(jobId, 2)];
    const course = ({ status, phases, spending, version }: NonNullable<typeof job>) => ({
      status,
      phases,
      spending,
      version,
    });
    expect(course(jobAfter!)).toEqual({ ...course(job!), version: job!.version + 1 });
    expect(jobAfter?.erased).toMatchObject({ actor: 'ada', reason: 'asked' });
    const steps = (state: NonNullable<typeof phase>) => ({
      version: state.version,
      todos: state.todos.list.map(({ id, status }) => [id, status]),
      calls: Object.values(state.calls.byId).map(({ callId, name, status }) => [callId, name, status]),
      answers: state.conversation.transcript.length,
      end: state.end?.kind,
      spending: state.money.spending,
    });
    expect(steps(phaseAfter!)).toEqual(steps(phase!));
    expect(JSON.stringify([jobAfter, phaseAfter])).not.toContain(SECRET);
    expect(jobAfter?.completion?.summary).toBe(REDACTED_TEXT);
    // This also applies to the repository that had cached its state.
    expect(
      JSON.stringify([await engine.repository.loadJob(jobId), await engine.repository.loadPhase(jobId, 2)]),
    ).not.toContain(SECRET);

    const travel = new TimeTravel(store, pool);
    const events = await store.readCorrelation(jobId);
    const some = events.filter((_event, index) => index % 9 === 0 || index === events.length - 1);
    for (const { position } of some) expect((await travel.at(jobId, position))?.position).toBe(position);
    expect(await verifyChain(pool)).toMatchObject({ problems: [] });
  });

  it('has no snapshots and no forks, which would be unencrypted', async () => {
    const { engine, jobId } = await runEncryptedJob();
    const travel = new TimeTravel(store, pool);
    for (const streamId of [jobStream(jobId), phaseStream(jobId, 2)])
      await travel.folds.storeSnapshots(streamId, (await store.head(streamId))!.version);
    for await (const snapshot of new Snapshots(pool).iterateAll(jobId)) expect(snapshot).toBeUndefined();
    const forks = new Forks({ store, repository: engine.repository, travel, sender: { send: async () => {} }, clock });
    const at = (await store.readCorrelation(jobId)).at(-1)!.position;
    await expect(forks.fork(jobId, { position: at }, { actor: { id: 'ada', kind: 'process' } })).rejects.toThrow(
      /encrypted job cannot be forked/,
    );
  });

  it('keeps questions, arguments and answers of people encrypted, and erases them', async () => {
    const engine = new Engine({
      store,
      packs: [peoplePack],
      agent: {
        tools: {
          workspace: ['write_file'],
          strategic: ['todo_write', 'todo_complete', 'job_complete'],
          tactical: ['todo_complete'],
          domain: ['ask_person'],
        },
        approvals: { tools: ['write_file'], expireAfterMs: 60_000 },
      },
      policy: createThreePhasePolicy([
        calls(['ask_person', { question: `${SECRET}?`, options: [SECRET, 'b'], default: SECRET, deadline: '8h' }]),
        calls(['write_file', { path: 'a.md', content: SECRET }]),
      ]),
    });
    const jobId = await engine.submitAndRun({ encrypt: true, instructions: 'Ask.' });
    const { question } = getAdmittedCall((await engine.loadPhase(jobId, 2)).calls, 'call_2_1_1');
    expect(question).toMatchObject({ question: `${SECRET}?`, options: [SECRET, 'b'] });
    const { questionHash } = question!;
    const given = { action: 'answer', callId: 'call_2_1_1', questionHash, answer: SECRET };
    expect(await requestControl(engine, jobId, given)).toEqual({ kind: 'recorded' });
    await engine.run(jobId);
    const amended = { action: 'approve', callId: 'call_2_2_1', amended: { path: 'b.md', content: `${SECRET}!` } };
    expect(await requestControl(engine, jobId, amended)).toEqual({ kind: 'recorded' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const { rows } = await pool.query<{ type: string; text: string }>(
      'SELECT type, e::text AS text FROM phaseline.events AS e WHERE correlation_id = $1',
      [jobId],
    );
    const types = rows.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['QuestionAsked', 'QuestionAnswered', 'ToolCallAmended']));
    // A hash of a short answer could be guessed, so hashes are encrypted too.
    for (const secret of [SECRET, Buffer.from(SECRET).toString('hex'), questionHash])
      expect(rows.filter(({ text }) => text.includes(secret)).map(({ type }) => type)).toEqual([]);
    await eraseJob({ store, clock }, jobId, { actor: { id: 'ada', kind: 'process' }, reason: 'asked' });
    const left = await new JobRepository(store).loadPhase(jobId, 2);
    expect(JSON.stringify(left)).not.toContain(SECRET);
    expect(await requestControl(engine, jobId, given)).toMatchObject({ kind: 'refused' });
  });

  it('does not reveal its content in an error', async () => {
    const { engine, jobId } = await runEncryptedJob();
    const failingHistories = new JobRepository(store, {
      reading: { job: { decode: throwSecret } as never, phase: {} as never },
    });
    const error = await failingHistories.loadJob(jobId).catch((caught: unknown) => caught as Error);
    expect((error as Error).stack).not.toContain(SECRET);
    expect((error as Error).message).toContain(`encrypted job ${jobId}`);
    expect(engine.messages).toEqual([]);
  });
});

function throwSecret(): never {
  throw new Error(SECRET);
}
