import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId, Sender } from '@phaseline/contracts';
import { isEncryptedJob, listRepositoryMessages } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { call, parsePrompt, type Engine } from '@phaseline/harness';
import { eraseJob, requestOutput, Retention } from '@phaseline/orchestration';
import { Forks, TimeTravel } from '@phaseline/time-travel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, RepositoryBench } from './repository-bench.fixture.js';

const ORIGIN = { actor: { id: 'spec', kind: 'process' } } as const;
const SECRET = 'Zwynsecretquox';
let bench: RepositoryBench;
let origin: string;
beforeAll(async () => {
  bench = await RepositoryBench.open();
  origin = await bench.createOrigin('origin.git', { 'README.md': `${SECRET}\n` });
});
afterAll(() => bench?.close());

const shell = (command: string) => call('run_command', { command, cwd: 'repository' });
const commit = (name: string) =>
  shell(`echo ${SECRET} > ${name} && git add --all && git commit --quiet -m "add ${name}"`);
const signal = new AbortController().signal;
const clock = { now: () => new Date() };

/** `engine` runs the forks. */
function openForks(engine: Engine): Forks {
  const { store, repository, pool } = bench;
  const sender: Sender = {
    send: async (queue, payload) => void engine.messages.push({ queue, payload, id: 'fork' } as never),
  };
  return new Forks({ store, repository, sender, clock, travel: new TimeTravel(store, pool) });
}

async function playJob(
  replies: Parameters<RepositoryBench['createEngine']>[0],
  { onSubmitted, ...more }: Parameters<Engine['submit']>[0] & { readonly onSubmitted?: (jobId: JobId) => void } = {},
): Promise<{ readonly engine: Engine; readonly jobId: JobId }> {
  const engine = bench.createEngine(replies);
  const jobId = await engine.submit({ repository: { path: origin, ref: 'main' }, ...more });
  onSubmitted?.(jobId);
  await bench.play(engine, jobId);
  return { engine, jobId };
}

/** Requests an output and makes it. Returns what became of it. */
async function makeOutput(jobId: JobId, kind: 'patch' | 'branch') {
  const { store, repository } = bench;
  const sender = { send: async () => undefined };
  const outcome = await requestOutput({ store, repository, sender }, jobId, { kind }, ORIGIN);
  if (outcome.kind !== 'requested') return outcome;
  await bench.createWork().run(jobId, outcome.output, signal);
  return (await repository.loadJob(jobId))!.repository!.outputs[outcome.output]!;
}

async function readPatch(jobId: JobId): Promise<string> {
  const made = await makeOutput(jobId, 'patch');
  if (!('made' in made) || !made.made?.patch) throw new Error(JSON.stringify(made));
  return (await bench.store.blobs.forJob(jobId).get(made.made.patch.hash))!.toString('utf8');
}

describe('the head of the repository', () => {
  it('is recorded when a command makes commits or chooses another one, once each, with their subjects', async () => {
    const { engine, jobId } = await playJob([
      shell(
        'git commit --quiet --allow-empty -m "first commit" -m "with a body" && git commit --quiet --allow-empty -m "second – ü"',
      ),
      shell('echo nothing > not-committed.md'),
      shell('git switch --quiet -c topic && git commit --quiet --allow-empty -m "on a branch"'),
      shell('git pack-refs --all && git switch --quiet --detach main'),
    ]);
    const changes = await bench.eventsOf(jobId, 'RepositoryChanged');
    const { commit: base } = (await engine.loadJob(jobId)).repository!.imported!;
    expect(changes.map(({ commits }) => (commits as { subject: string }[]).map(({ subject }) => subject))).toEqual([
      ['first commit', 'second – ü'],
      ['on a branch'],
      // The head moved back: no commit was made, and the walk from it does not meet the recorded head.
      expect.any(Array),
    ]);
    expect(changes.map(({ phase }) => phase)).toEqual([2, 2, 2]);
    const [first, second, third] = changes.map(({ head }) => head as string);
    expect(third).toBe(first);
    expect(new Set([base, first, second]).size).toBe(3);
    expect((await engine.loadJob(jobId)).repository?.head).toBe(first);
  });

  it('is left alone when the agent destroys the repository or writes nonsense into it', async () => {
    const { engine, jobId } = await playJob([
      shell('echo "ref: refs/heads/../../x" > .git/HEAD'),
      shell('echo "ref: HEAD" > .git/HEAD'),
      shell('head -c 100000 /dev/zero > .git/HEAD'),
      shell(
        `echo ${'a'.repeat(40)} > .git/HEAD && mkdir -p .git/objects/aa && echo x > .git/objects/aa/${'a'.repeat(38)}`,
      ),
      shell('rm -rf .git'),
    ]);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    // The only one that names a commit, although there is none of that name.
    expect(await bench.eventsOf(jobId, 'RepositoryChanged')).toMatchObject([{ head: 'a'.repeat(40), commits: [] }]);
    expect(await makeOutput(jobId, 'patch')).toMatchObject({ failure: { code: 'repository_damaged' } });
  });
});

describe('a job that ends', () => {
  /** Plays a job whose agent commits a file, and calls `act` with its id while it runs. Messages are lost from then to the end. */
  async function playWhile(act: (jobId: JobId) => Promise<unknown>): Promise<JobId> {
    let jobId: JobId;
    const policy: Parameters<RepositoryBench['createEngine']>[0] = async (request) => {
      const { turn } = parsePrompt(request);
      if (turn === 0) return commit('one.md');
      bench.isDelivering = false;
      await act(jobId);
      return call('todo_complete');
    };
    const played = await playJob(policy, { onSubmitted: (id) => (jobId = id) });
    bench.isDelivering = true;
    expect((await played.engine.loadJob(played.jobId)).status).toBe('completed');
    return played.jobId;
  }

  it('receives the outcome of each output that was requested while it ran, made or failed', async () => {
    const { store, repository } = bench;
    const sender = { send: async () => undefined };
    const draft = true;
    const requests = [
      { kind: 'patch', draft },
      { kind: 'branch', draft },
      { kind: 'pull_request', draft },
    ] as const;
    const jobId = await playWhile(async (id) => {
      for (const request of requests) await requestOutput({ store, repository, sender }, id, request, ORIGIN);
    });
    const open = listRepositoryMessages((await repository.loadJob(jobId))!);
    expect(open).toHaveLength(3);
    for (const { payload } of open) await bench.createWork().run(jobId, payload.work, signal);
    const made = await bench.eventsOf(jobId, 'RepositoryOutputMade');
    expect(made).toMatchObject([
      { commits: 1, unverified: true },
      { commits: 1, unverified: true },
    ]);
    expect(made[1]!['branch']).toMatch(/^phaseline\/unverified-/);
    const { hash } = made[0]!['patch'] as { readonly hash: string };
    const patch = (await store.blobs.get(hash))!;
    expect(patch.toString()).toContain('Subject: [UNVERIFIED PATCH] add one.md\n');
    expect(await bench.eventsOf(jobId, 'RepositoryOutputFailed')).toMatchObject([{ code: 'pull_request_refused' }]);
    expect(listRepositoryMessages((await repository.loadJob(jobId))!)).toEqual([]);
    expect((await repository.loadJob(jobId))!.status).toBe('completed');
  });

  it('makes an output whose message was lost when it is requested again', async () => {
    const { store, repository } = bench;
    const lost = { send: async () => undefined };
    const request = { kind: 'patch', draft: true } as const;
    const jobId = await playWhile((id) => requestOutput({ store, repository, sender: lost }, id, request, ORIGIN));
    const sender: Sender = {
      send: async (_queue, payload) => bench.createWork().run(jobId, (payload as { work: string }).work, signal),
    };
    expect(await requestOutput({ store, repository, sender }, jobId, request, ORIGIN)).toMatchObject({
      created: false,
    });
    expect(await bench.eventsOf(jobId, 'RepositoryOutputMade')).toMatchObject([{ commits: 1 }]);
  });

  it('receives the head that its last call moved', async () => {
    bench.isRecordingHeads = false;
    const jobId = await playWhile(async () => undefined);
    bench.isRecordingHeads = true;
    expect(await bench.eventsOf(jobId, 'RepositoryChanged')).toEqual([]);
    const { phases } = (await bench.repository.loadJob(jobId))!;
    await bench.createHeadRecorder().record((await bench.repository.loadPhase(jobId, phases))!, 'call_last');
    expect(await bench.eventsOf(jobId, 'RepositoryChanged')).toMatchObject([
      { callId: 'call_last', commits: [{ subject: 'add one.md' }] },
    ]);
  });
});

describe('work that no accepted claim covers', () => {
  it('leaves only as a draft, and as it is once the todo is accepted and nothing has changed since', async () => {
    const { store, repository } = bench;
    const sender = { send: async () => undefined };
    const jobs = Promise.withResolvers<JobId>();
    const outcomes: (string | undefined)[] = [];
    const request = async (output: Parameters<typeof requestOutput>[2]): Promise<void> => {
      const jobId = await jobs.promise;
      const requested = (await requestOutput({ store, repository, sender }, jobId, output, ORIGIN)) as {
        output: string;
      };
      await bench.createWork().run(jobId, requested.output, signal);
      const { made, failure } = (await repository.loadJob(jobId))!.repository!.outputs[requested.output]!;
      outcomes.push(failure?.code ?? (made?.unverified ? 'unverified' : 'made'));
    };
    const plan = call('todo_write', {
      phase: 'Two',
      description: 'Write twice.',
      todos: [{ content: 'Write' }, { content: 'Write more' }],
    });
    const engine = bench.createEngine(
      async (prompt) => {
        const { turn } = parsePrompt(prompt);
        if (turn === 0) return shell('echo one > one.md');
        if (turn === 2) return shell('git add --all && git commit --quiet -m "add one.md"');
        if (turn === 3) return shell('echo two > two.md');
        await request({ kind: 'patch' });
        await request({ kind: 'patch', draft: true });
        // A refused claim withdraws what was accepted before; the second todo has no work of its own yet.
        return call('todo_complete');
      },
      {},
      { calls: [...(plan.calls ?? []), { name: 'todo_complete' }] },
    );
    const jobId = await engine.submit({ repository: { path: origin, ref: 'main' } });
    jobs.resolve(jobId);
    await bench.play(engine, jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(outcomes).toEqual(['output_unverified', 'unverified', 'output_unverified', 'unverified']);
    expect(await makeOutput(jobId, 'patch')).toMatchObject({ made: { commits: 2 } });
    expect(await makeOutput(jobId, 'patch')).not.toHaveProperty('made.unverified');
  });
});

describe('a fork', () => {
  it('continues from the imported files, and makes no output that its parent requested', async () => {
    const { store, repository } = bench;
    const sender = { send: async () => undefined };
    let jobId: JobId;
    const { engine, jobId: parent } = await playJob(
      async (request) => {
        const { turn } = parsePrompt(request);
        if (turn === 0) return commit('one.md');
        if (turn === 2) return call('todo_complete');
        // The output stays open: no tool-runner gets the message.
        bench.isDelivering = false;
        const output = { kind: 'branch', branch: 'phaseline/once', draft: true } as const;
        const [open] = (await store.readCorrelation(jobId, { types: ['RepositoryOutputRequested'] })).slice(0, 1);
        if (!open) await requestOutput({ store, repository, sender }, jobId, output, ORIGIN);
        return commit('two.md');
      },
      { onSubmitted: (id) => (jobId = id) },
    );
    bench.isDelivering = true;
    const events = await store.readCorrelation(parent);
    const ended = events.findLast(
      ({ type, data }) => type === 'ToolCallCompleted' && JSON.stringify(data).includes('two.md'),
    )!;
    const fork = (await openForks(engine).fork(parent, { position: ended.position }, ORIGIN))!.jobId;
    expect(listRepositoryMessages((await repository.loadJob(parent))!)).toHaveLength(1);
    expect(listRepositoryMessages((await repository.loadJob(fork))!)).toEqual([]);
    await bench.play(engine, fork);
    expect((await engine.loadJob(fork)).status).toBe('completed');
    expect(await bench.eventsOf(fork, 'RepositoryImported')).toEqual([]);
    expect(git(origin, 'branch', '--list', 'phaseline/once')).toBe('');
    const clone = join(bench.root, 'clone-of-fork');
    git(bench.root, 'clone', '--quiet', origin, clone);
    await writeFile(join(bench.root, 'fork.patch'), await readPatch(fork));
    git(clone, 'am', '--quiet', '../fork.patch');
    expect(git(clone, 'log', '--format=%s', 'origin/main..')).toBe('add two.md\nadd one.md\n');
  });

  it('of a job whose import failed imports again', async () => {
    const { engine, jobId } = await playJob([], { repository: { path: origin, ref: 'nowhere' } });
    expect((await engine.loadJob(jobId)).repository?.failure).toMatchObject({ code: 'ref_not_found' });
    const { store, repository } = bench;
    const events = await store.readCorrelation(jobId);
    const failed = events.find(({ type }) => type === 'RepositoryImportFailed')!.position;
    const forks = openForks(engine);
    const fork = (await forks.fork(jobId, { position: failed }, ORIGIN))!.jobId;
    expect(listRepositoryMessages((await repository.loadJob(fork))!)).toMatchObject([
      { payload: { jobId: fork, work: 'import' } },
    ]);
  });
});

describe('an encrypted job', () => {
  it('stores nothing of its repository as plain text, and keeps no mirror', async () => {
    const encrypted = await RepositoryBench.open();
    try {
      const source = await encrypted.createOrigin('origin.git', { 'README.md': `${SECRET}\n`, 'a/b.md': SECRET });
      const engine = encrypted.createEngine([commit('one.md')]);
      const jobId = await engine.submit({ encrypt: true, repository: { path: source, ref: 'main' } });
      await encrypted.play(engine, jobId);
      expect(isEncryptedJob(jobId)).toBe(true);
      expect((await engine.loadJob(jobId)).status).toBe('completed');
      expect(await encrypted.eventsOf(jobId, 'RepositoryChanged')).toHaveLength(1);
      const { store, repository } = encrypted;
      const sender = { send: async () => undefined };
      const outcome = await requestOutput({ store, repository, sender }, jobId, { kind: 'patch' }, ORIGIN);
      const { output } = outcome as { output: string };
      await encrypted.createWork().run(jobId, output, signal);
      const { patch } = (await repository.loadJob(jobId))!.repository!.outputs[output]!.made!;
      expect((await store.blobs.forJob(jobId).get(patch!.hash))!.toString()).toContain(SECRET);
      for (const table of ['events', 'blobs', 'encrypted_blobs']) {
        const { rows } = await encrypted.pool.query<{ found: string }>(
          `SELECT count(*) AS found FROM phaseline.${table} AS row WHERE row::text LIKE $1 OR row::text LIKE $2`,
          [`%${SECRET}%`, `%${Buffer.from(SECRET).toString('hex')}%`],
        );
        expect([table, rows[0]?.found]).toEqual([table, '0']);
      }
      const folders = readdirSync(join(encrypted.root, 'repositories'));
      expect(folders).toEqual(['scratch']);
      expect(readdirSync(join(encrypted.root, 'repositories/scratch'))).toEqual([]);
      await eraseJob({ store, clock }, jobId, { ...ORIGIN, reason: 'spec' });
      expect(await requestOutput({ store, repository, sender }, jobId, { kind: 'patch' }, ORIGIN)).toMatchObject({
        kind: 'refused',
        reason: 'the content of the job was erased',
      });
    } finally {
      await encrypted.close();
    }
  });
});

describe('retention', () => {
  it('removes the files of the repository, and an output is then refused, also one that was requested before', async () => {
    const { jobId } = await playJob([commit('one.md')]);
    const { store, repository, pool } = bench;
    const sender = { send: async () => undefined };
    const requested = await requestOutput({ store, repository, sender }, jobId, { kind: 'patch' }, ORIGIN);
    const { output } = requested as { output: string };
    const owner = createPool(bench.ownerUrl, { max: 1 });
    await owner.query(`UPDATE phaseline.blobs SET stored_at = stored_at - interval '2 days'`);
    await owner.query(`INSERT INTO phaseline.retention_settings VALUES ('default', 30)`);
    // A run knows an event once all transactions before it have ended, also those of other specs on the same server.
    const isOpen = async (): Promise<number | null> =>
      (
        await owner.query(
          'SELECT FROM phaseline.events WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1',
        )
      ).rowCount;
    await expect.poll(isOpen, { timeout: 60_000 }).toBe(0);
    await owner.end();
    const now = new Date(Date.now() + 31 * 24 * 60 * 60 * 1_000);
    const results = [];
    for await (const result of new Retention(store, pool).run({ actor: ORIGIN.actor, now })) results.push(result);
    expect(results).toContainEqual(
      expect.objectContaining({ jobId, outcome: expect.objectContaining({ kind: 'removed' }) }),
    );
    await bench.createWork().run(jobId, output, signal);
    expect((await repository.loadJob(jobId))!.repository!.outputs[output]).toMatchObject({
      failure: { code: 'output_refused', message: expect.stringContaining('removed by retention') },
    });
    expect(await makeOutput(jobId, 'branch')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('removed by retention'),
    });
  });
});
