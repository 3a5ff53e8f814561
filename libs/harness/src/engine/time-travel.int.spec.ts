import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageSpecs } from '@phaseline/contracts';
import { foldJob, foldPhase, decodeJobEvent, decodePhaseEvent, jobStream, phaseStream } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { checkSnapshots, Snapshots } from '@phaseline/repository';
import { compareJobs, diffJob, Forks, TimeTravel } from '@phaseline/time-travel';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

let opened: OpenStore;
let pool: ReturnType<typeof createPool>;
let engine: Engine;
let jobId: string;
let events: Awaited<ReturnType<OpenStore['store']['read']>>;

/** Events per snapshot; small, so that a short job has many. */
const EVENTS_PER_SNAPSHOT = 3;

beforeAll(async () => {
  opened = await openStore();
  pool = createPool(opened.url, { max: 4, applicationName: 'spec' });
  const policy = createThreePhasePolicy((request) => {
    const { turn } = parsePrompt(request);
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

const travel = (options = {}) =>
  new TimeTravel(opened.store, pool, { eventsPerSnapshot: EVENTS_PER_SNAPSHOT, ...options });
const positions = () => events.map(({ position }) => position);

/** Takes snapshots of every stream of the job, as the orchestrator does. */
async function takeSnapshots(): Promise<void> {
  const { folds } = travel();
  for (const streamId of new Set(events.map((event) => event.streamId)))
    await folds.storeSnapshots(streamId, Number.MAX_SAFE_INTEGER);
}

const countSnapshots = async (): Promise<number> =>
  Number((await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.snapshots')).rows[0]!.count);

describe('a job at a position', () => {
  it('is the fold of its events up to that position, with and without snapshots', async () => {
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
        ...(folded.phase
          ? {
              phase: {
                ...folded.phase,
                conversation: { ...folded.phase.conversation, transcript: [] },
                work: { ...folded.phase.work, calls: [] },
              },
            }
          : {}),
      });
    });
    await takeSnapshots();
    expect(await countSnapshots()).toBeGreaterThan(5);
    const same = async (every: number): Promise<void> => {
      for (const [index, at] of positions().entries())
        if (index % every === 0) expect(await travel().at(jobId, at)).toEqual(without[index]);
    };
    await same(1);
    // Half of the snapshots are deleted while in use, then all.
    await pool.query('DELETE FROM phaseline.snapshots WHERE version % 2 = 0');
    await same(3);
    // Readers store snapshots after they have answered; one of them may still be doing so.
    const dropAll = async (): Promise<number> => {
      await travel().snapshots.deleteAll();
      return countSnapshots();
    };
    await expect.poll(dropAll).toBe(0);
    expect(await travel().at(jobId, positions().at(-1))).toEqual(without.at(-1));
    expect(await travel().at(jobId, positions()[0]! - 1)).toBeUndefined();
  });

  it('is read from the latest snapshot before it, and stores snapshots if there were none', async () => {
    const { snapshots } = travel();
    await snapshots.deleteAll();
    let read = 0;
    const counting = Object.create(opened.store) as typeof opened.store;
    counting.read = async (streamId, options) => {
      const page = await opened.store.read(streamId, options);
      read += page.length;
      return page;
    };
    counting.iterate = async function* (streamId, options) {
      for await (const event of opened.store.iterate(streamId, options)) {
        read += 1;
        yield event;
      }
    };
    const countReads = async (): Promise<number> => {
      read = 0;
      await new TimeTravel(counting, pool, { eventsPerSnapshot: EVENTS_PER_SNAPSHOT }).at(jobId);
      return read;
    };
    expect(await countReads()).toBeGreaterThan(EVENTS_PER_SNAPSHOT);
    await expect.poll(countSnapshots).toBeGreaterThan(0);
    await takeSnapshots();
    expect(await countReads()).toBeLessThan(EVENTS_PER_SNAPSHOT);
  });
});

describe('snapshots', () => {
  it('are checked against the fold, and a wrong one is found', async () => {
    await takeSnapshots();
    const { snapshots } = travel();
    const report = await checkSnapshots(opened.store, snapshots);
    expect(report.problems).toEqual([]);
    expect(report.checked).toBe(await countSnapshots());
    const streamId = phaseStream(jobId, 2);
    await pool.query('DELETE FROM phaseline.snapshots WHERE stream_id = $1', [streamId]);
    const [, , third] = await opened.store.read(streamId);
    await snapshots.store([{ streamId, version: 3, hash: third!.hash, state: { version: 3, lies: true } }]);
    await snapshots.store([{ streamId, version: 4, hash: 'ab'.repeat(32), state: {} }]);
    expect((await checkSnapshots(opened.store, snapshots, { jobId })).problems).toEqual([
      { streamId, version: 3, kind: 'differs' },
      { streamId, version: 4, kind: 'no-such-event' },
    ]);
    // A sample respects its limits, and repeated samples cover every snapshot.
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
    await snapshots.deleteAll(jobId);
    expect(await countSnapshots()).toBe(0);
  });

  it('of another fold version, or of an event that is not in the log, are not used', async () => {
    const streamId = jobStream(jobId);
    const [first] = await opened.store.read(streamId);
    const lie = { job: { status: 'lies' }, phases: [] };
    await new Snapshots(pool, 'another-fold').store([{ streamId, version: 1, hash: first!.hash, state: lie }]);
    await travel().snapshots.store([{ streamId, version: 1, hash: 'ab'.repeat(32), state: lie }]);
    expect((await travel().at(jobId))!.job.status).toBe('completed');
    await travel().snapshots.deleteAll();
  });

  it('are requested for open streams that have grown long', async () => {
    const open = await engine.submit();
    await engine.driver.advance(open);
    engine.messages.length = 0;
    const behind = await travel().snapshots.findStreamsBehind(1);
    expect(behind.map(({ streamId }) => streamId)).toEqual([jobStream(open), phaseStream(open, 1)]);
    for (const { streamId, version } of behind) await travel().folds.storeSnapshots(streamId, version);
    expect(await travel().snapshots.findStreamsBehind(1)).toEqual([]);
  });
});

describe('a difference', () => {
  const at = (type: string, nth = 0) => events.filter((event) => event.type === type)[nth]!.position;
  const diff = (from: number, to?: number) =>
    diffJob({ travel: travel(), blobs: opened.store.blobs }, jobId, from, to, { patches: true });

  it('shows phases, todos, files with their text, and costs', async () => {
    const changes = (await diff(at('PhaseStarted', 1), undefined))!;
    expect(changes).toMatchObject({
      from: { status: 'running', phase: 2 },
      to: { status: 'completed', phase: 3 },
      phases: [
        { phase: 2, from: 'running', to: 'completed: done' },
        { phase: 3, to: 'completed: completed' },
      ],
      usageChange: { steps: 7, costMicroUsd: 770 },
    });
    expect(changes.todos).toMatchObject([
      { phase: 2, id: 1, from: 'open', to: 'done', note: 'done so' },
      { phase: 3, id: 1, to: 'done' },
    ]);
    expect(changes.files.added.map(({ path }) => path)).toEqual([
      'archive/phase_002.md',
      'output/0.md',
      'output/1.md',
      'output/completion.json',
    ]);
  });

  it('of one file is a unified diff', async () => {
    const writes = events
      .filter(({ type, data }) => type === 'FileWritten' && data['path'] !== 'workspace.md')
      .map(({ position }) => position);
    const changes = (await diff(writes[2]!, writes[4]!))!;
    const [text] = changes.patches!.filter(({ path }) => path === 'output/0.md');
    expect(text!.patch).toContain(
      '--- a/output/0.md\n+++ b/output/0.md\n@@ -1,3 +1,3 @@\n one\n two\n-turn 0\n+turn 2\n',
    );
    expect(await diff(writes[2]!, writes[2]!)).toMatchObject({
      files: { added: [], removed: [], changed: [] },
      todos: [],
      patches: [],
    });
    expect(await diff(0)).toBeUndefined();
  });
});

describe('a comparison', () => {
  it('names the first difference of a fork, and finds none in a repetition', async () => {
    const forks = new Forks({
      store: opened.store,
      repository: engine.repository,
      travel: travel(),
      sender: {
        send: async (queue, payload) =>
          void engine.messages.push({ queue, payload, id: messageSpecs[queue].id(payload) } as never),
      },
      clock: { now: () => new Date() },
    });
    const second = events.filter(
      ({ type, streamId }) => type === 'ModelResponded' && streamId === phaseStream(jobId, 2),
    )[1]!;
    const fork = async (options: object) => {
      const { jobId: forked } = (await forks.fork(
        jobId,
        { position: second.position, ...options },
        { actor: { id: 'spec', kind: 'process' } },
      ))!;
      await engine.run(forked);
      return forked;
    };
    const parts = { travel: travel(), store: opened.store };
    const same = await compareJobs(parts, jobId, await fork({ mode: 'recorded' }));
    expect(same).toMatchObject({ hasSameFiles: true, usageChange: { steps: 0, costMicroUsd: 0 } });
    expect(same).not.toHaveProperty('firstDifference');
    const response = { content: '', calls: [{ name: 'write_file', arguments: { path: 'mine.md', content: 'mine' } }] };
    const other = await compareJobs(parts, jobId, await fork({ response }));
    expect(other).toMatchObject({
      hasSameFiles: false,
      files: { added: [{ path: 'mine.md' }] },
      right: { fork: { position: expect.any(Number) as number, mode: 'live' } },
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
