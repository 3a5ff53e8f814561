import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldJob, foldPhase, decodeJobEvent, decodePhaseEvent, jobStream, phaseStream } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { checkSnapshots, compareJobs, diffJob, Forks, Snapshots, TimeTravel } from '@phaseline/time-travel';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, calls, threePhases, where } from './scripts.js';

let opened: OpenStore;
let pool: ReturnType<typeof createPool>;
let engine: Engine;
let jobId: string;
let events: Awaited<ReturnType<OpenStore['store']['read']>>;

/** Every three events, so that a short job has many. */
const EVERY = 3;

beforeAll(async () => {
  opened = await openStore();
  pool = createPool(opened.url, { max: 4, applicationName: 'spec' });
  const policy = threePhases((request) => {
    const { turn } = where(request);
    if (turn < 4) return call('write_file', { path: `output/${turn % 2}.md`, content: `one\ntwo\nturn ${turn}\n` });
    return turn === 4 ? calls(['read_file', { path: 'output/0.md' }]) : call('todo_complete', { notes: 'done so' });
  });
  engine = new Engine({ store: opened.store, policy });
  jobId = await engine.submit();
  await engine.run(jobId);
  events = await opened.store.readCorrelation(jobId);
});
afterAll(async () => {
  await pool.end();
  await opened.close();
});

const travel = (options = {}) => new TimeTravel(opened.store, pool, { every: EVERY, ...options });
const positions = () => events.map(({ position }) => position);

/** Every stream of the job, snapshots taken as the orchestrator takes them. */
async function takeAll(): Promise<void> {
  const { folds } = travel();
  for (const streamId of new Set(events.map((event) => event.streamId)))
    await folds.snapshot(streamId, Number.MAX_SAFE_INTEGER);
}

const count = async (): Promise<number> =>
  Number((await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.snapshots')).rows[0]!.count);

describe('a job at a position', () => {
  it('is what its events up to there fold to, whether or not there are snapshots', async () => {
    const without: unknown[] = [];
    for (const at of positions()) without.push(await travel({ snapshots: false }).at(jobId, at));
    events.forEach(({ position }, index) => {
      const until = events.filter((event) => event.position <= position);
      const phase = until.findLast(({ streamId }) => streamId.startsWith('phase-'))?.streamId;
      const folded = {
        job: foldJob(until.filter(({ streamId }) => streamId === jobStream(jobId)).map(decodeJobEvent)),
        phase: foldPhase(until.filter(({ streamId }) => streamId === phase).map(decodePhaseEvent)),
      };
      expect(without[index]).toMatchObject({
        position,
        job: folded.job,
        ...(folded.phase ? { phase: { ...folded.phase, transcript: [] } } : {}),
      });
    });
    await takeAll();
    expect(await count()).toBeGreaterThan(5);
    const same = async (every: number): Promise<void> => {
      for (const [index, at] of positions().entries())
        if (index % every === 0) expect(await travel().at(jobId, at)).toEqual(without[index]);
    };
    await same(1);
    // Half of them go while they are in use; then all.
    await pool.query('DELETE FROM phaseline.snapshots WHERE version % 2 = 0');
    await same(3);
    // Readers keep what they folded behind their answer; one of them may still be about to.
    const dropAll = async (): Promise<number> => {
      await travel().snapshots.drop();
      return count();
    };
    await expect.poll(dropAll).toBe(0);
    expect(await travel().at(jobId, positions().at(-1))).toEqual(without.at(-1));
    expect(await travel().at(jobId, positions()[0]! - 1)).toBeUndefined();
  });

  it('is read from the snapshot before it, and leaves snapshots behind where there were none', async () => {
    const { snapshots } = travel();
    await snapshots.drop();
    await travel().at(jobId);
    await expect.poll(count).toBeGreaterThan(0);
    const reads: number[] = [];
    const counting = Object.create(opened.store) as typeof opened.store;
    counting.read = async (streamId, options) => {
      const page = await opened.store.read(streamId, options);
      reads.push(page.length);
      return page;
    };
    await takeAll();
    await new TimeTravel(counting, pool, { every: EVERY }).at(jobId);
    expect(reads.reduce((sum, length) => sum + length, 0)).toBeLessThan(EVERY);
  });
});

describe('snapshots', () => {
  it('are checked against the fold, and one that lies is found', async () => {
    await takeAll();
    const { snapshots } = travel();
    const report = await checkSnapshots(opened.store, snapshots);
    expect(report.problems).toEqual([]);
    expect(report.checked).toBe(await count());
    const streamId = phaseStream(jobId, 2);
    await pool.query('DELETE FROM phaseline.snapshots WHERE stream_id = $1', [streamId]);
    const [, , third] = await opened.store.read(streamId);
    await snapshots.keep([{ streamId, version: 3, hash: third!.hash, state: { version: 3, lies: true } }]);
    await snapshots.keep([{ streamId, version: 4, hash: 'ab'.repeat(32), state: {} }]);
    expect((await checkSnapshots(opened.store, snapshots, { jobId })).problems).toEqual([
      { streamId, version: 3, kind: 'differs' },
      { streamId, version: 4, kind: 'no-such-event' },
    ]);
    // A sample holds no more than it may cost, and in the end every one comes up.
    const sample = { snapshots: 3, events: 1_000 };
    expect((await checkSnapshots(opened.store, snapshots, { sample })).checked).toBe(3);
    expect(await checkSnapshots(opened.store, snapshots, { sample: { snapshots: 99, events: 2 } })).toMatchObject({
      problems: [],
    });
    await expect
      .poll(async () => (await checkSnapshots(opened.store, snapshots, { sample })).problems.length, {
        timeout: 20_000,
      })
      .toBeGreaterThan(0);
    await snapshots.drop(jobId);
    expect(await count()).toBe(0);
  });

  it('of another fold, or of an event that the log does not hold, are not used', async () => {
    const streamId = jobStream(jobId);
    const [first] = await opened.store.read(streamId);
    const lie = { job: { status: 'lies' }, phases: [] };
    await new Snapshots(pool, 'another-fold').keep([{ streamId, version: 1, hash: first!.hash, state: lie }]);
    await travel().snapshots.keep([{ streamId, version: 1, hash: 'ab'.repeat(32), state: lie }]);
    expect((await travel().at(jobId))!.job.status).toBe('completed');
    await travel().snapshots.drop();
  });

  it('are asked for of open streams that went on for long', async () => {
    const open = await engine.submit();
    await engine.driver.advance(open);
    engine.messages.length = 0;
    const behind = await travel().snapshots.behind(1);
    expect(behind.map(({ streamId }) => streamId)).toEqual([jobStream(open), phaseStream(open, 1)]);
    for (const { streamId, version } of behind) await travel().folds.snapshot(streamId, version);
    expect(await travel().snapshots.behind(1)).toEqual([]);
  });
});

describe('a difference', () => {
  const at = (type: string, nth = 0) => events.filter((event) => event.type === type)[nth]!.position;
  const diff = (from: number, to?: number) =>
    diffJob({ travel: travel(), blobs: opened.store.blobs }, jobId, from, to, { texts: true });

  it('tells phases, todos, files with their texts, and money', async () => {
    const changes = (await diff(at('PhaseStarted', 1), undefined))!;
    expect(changes).toMatchObject({
      from: { status: 'running', phase: 2 },
      to: { status: 'completed', phase: 3 },
      phases: [
        { phase: 2, from: 'running', to: 'completed: done' },
        { phase: 3, to: 'completed: completed' },
      ],
      spent: { steps: 7, costMicroUsd: 770 },
    });
    expect(changes.todos).toMatchObject([
      { phase: 2, id: 1, from: 'open', to: 'done', note: 'done so' },
      { phase: 3, id: 1, to: 'done' },
    ]);
    expect(changes.files.added.map(({ path }) => path)).toEqual(['archive/phase_002.md', 'output/0.md', 'output/1.md']);
  });

  it('of one file is a unified diff', async () => {
    const writes = events.filter(({ type }) => type === 'FileWritten').map(({ position }) => position);
    const changes = (await diff(writes[2]!, writes[4]!))!;
    const [text] = changes.texts!.filter(({ path }) => path === 'output/0.md');
    expect(text!.patch).toContain(
      '--- a/output/0.md\n+++ b/output/0.md\n@@ -1,3 +1,3 @@\n one\n two\n-turn 0\n+turn 2\n',
    );
    expect(await diff(writes[2]!, writes[2]!)).toMatchObject({
      files: { added: [], removed: [], changed: [] },
      todos: [],
      texts: [],
    });
    expect(await diff(0)).toBeUndefined();
  });
});

describe('a comparison', () => {
  it('names the first place where a fork went its own way, and finds nothing in one that repeats', async () => {
    const forks = new Forks({
      store: opened.store,
      histories: engine.histories,
      travel: travel(),
      sender: { send: async (queue, payload, { id }) => void engine.messages.push({ queue, payload, id } as never) },
      clock: { now: () => new Date() },
    });
    const second = events.filter(
      ({ type, streamId }) => type === 'ModelResponded' && streamId === phaseStream(jobId, 2),
    )[1]!;
    const fork = async (options: object) => {
      const { jobId: forked } = (await forks.fork(jobId, { at: second.position, ...options }, { actor: 'spec' }))!;
      await engine.run(forked);
      return forked;
    };
    const parts = { travel: travel(), store: opened.store };
    const same = await compareJobs(parts, jobId, await fork({ mode: 'recorded' }));
    expect(same).toMatchObject({ sameFiles: true, spent: { steps: 0, costMicroUsd: 0 } });
    expect(same).not.toHaveProperty('firstDifference');
    const answer = { content: '', calls: [{ name: 'write_file', arguments: { path: 'mine.md', content: 'mine' } }] };
    const other = await compareJobs(parts, jobId, await fork({ answer }));
    expect(other).toMatchObject({
      sameFiles: false,
      files: { added: [{ path: 'mine.md' }] },
      right: { fork: { at: expect.any(Number) as number, mode: 'live' } },
      firstDifference: {
        phase: 2,
        step: 2,
        left: { type: 'ModelResponded', position: second.position },
        right: { type: 'ModelResponded', content: { calls: [{ name: 'write_file' }] } },
      },
    });
    expect(await compareJobs(parts, jobId, crypto.randomUUID())).toBeUndefined();
  });
});
