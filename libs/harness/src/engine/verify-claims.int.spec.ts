import { verifyClaims, type ClaimsReport } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playCheckedJob, playPlannedJob } from './claimed-jobs.fixture.js';
import { positionOf, useForks } from './fork.fixture.js';

describe('deriving the claims of untouched jobs', () => {
  const { opened, forkJob } = useForks();
  let pool: Pool;
  beforeAll(() => {
    pool = createPool(opened.url, { max: 2 });
  });
  afterAll(() => pool.end());

  it.each([
    ['with checks of every kind', playCheckedJob, 3],
    ['with a plan and a deliverable', playPlannedJob, 7],
  ])('derives every claim of a job %s, and of its forks', async (_, play, count) => {
    const { engine, jobId } = await play(opened.store);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(await verifyClaims(pool, { correlationId: jobId })).toEqual({
      ...{ jobs: 1, claims: count, derived: count, notDerived: [], problems: [], problemCount: 0 },
    });
    const events = await opened.store.readCorrelation(jobId);
    const answers = events.flatMap(({ type, position }) => (type === 'ModelResponded' ? [position] : []));
    for (const position of [positionOf(events, 'PhaseStarted'), ...answers])
      for (const mode of ['recorded', 'live'] as const) {
        const fork = await forkJob(engine, jobId, { position, mode });
        await engine.run(fork);
        const report = await verifyClaims(pool, { correlationId: fork });
        expect(report.problems).toEqual([]);
        expect(report.derived).toBe(report.claims);
        if (mode === 'recorded') expect(report.claims).toBeGreaterThan(0);
      }
    expect(await verifyClaims(pool)).toMatchObject({ problems: [], notDerived: [] });
  });
});

describe('a log that says that more was accepted', () => {
  let database: TestDatabase;
  let service: Pool;
  let owner: Pool;
  let jobId: JobId;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = createPool(database.serviceUrl, { max: 4 });
    owner = createPool(database.ownerUrl, { max: 1 });
    ({ jobId } = await playCheckedJob(new EventStore(service)));
  });
  afterAll(async () => {
    await service.end();
    await owner.end();
    await database.drop();
  });

  /** Replaces text in events of a type as a superuser could, derives the claims, and undoes the change. */
  async function tamper(type: string, from: string, to: string): Promise<ClaimsReport> {
    const change = `UPDATE phaseline.events SET data = replace(data::text, $2, $3)::json WHERE type = $1`;
    const { rows } = await owner.query<{ event_id: string; data: string }>(
      'SELECT event_id, data::text FROM phaseline.events WHERE type = $1',
      [type],
    );
    await owner.query('ALTER TABLE phaseline.events DISABLE TRIGGER ALL');
    try {
      await owner.query(change, [type, from, to]);
      return await verifyClaims(service);
    } finally {
      for (const { event_id: id, data } of rows)
        await owner.query('UPDATE phaseline.events SET data = $2::json WHERE event_id = $1', [id, data]);
      await owner.query('ALTER TABLE phaseline.events ENABLE TRIGGER ALL');
    }
  }

  const found = ({ problems }: ClaimsReport): string[] =>
    problems.map(({ kind, streamId, detail }) => `${kind} ${streamId.replace(jobId, 'J')}: ${detail}`);

  it.each<readonly [string, string, string, string, string]>([
    [
      'evidence removed',
      'TodoCompleted',
      '"evidence"',
      '"evidences"',
      'claim-without-evidence phase-J-1: todo 1: 4 checks held',
    ],
    ['a check removed', 'PhaseCompleted', '"matches":"^two$"', '"minBytes":1', 'item 1 of the evidence is'],
    [
      'another file named',
      'TodoCompleted',
      '"path":"work/result.txt","hash"',
      '"path":"work/other.txt","hash"',
      'item 1 of the evidence is',
    ],
    ['another event named', 'TodoCompleted', '"version":', '"version":1', 'item 2 of the evidence is'],
    [
      'a refusal turned into a pass',
      'ToolCallCompleted',
      '"outcome":"passed"',
      '"outcome":"failed"',
      'todo 1: 2 checks failed',
    ],
    ['a call that claimed nothing', 'TodoCompleted', '"callId":"', '"callId":"x', 'no call x'],
    ['another todo', 'TodoCompleted', '"todoId":1', '"todoId":2', 'the phase has no todo 2'],
    [
      'another end',
      'PhaseCompleted',
      '"outcome":"done"',
      '"outcome":"other"',
      'the phase had reached the outcome done, not other',
    ],
    [
      'a smaller check in the workflow of the phase',
      'PhaseStarted',
      '"^two$"',
      '"^three$"',
      'work/result.txt: text that matches ^three$',
    ],
    [
      'evidence of the job',
      'JobCompleted',
      '"write_file"',
      '"read_file"',
      'the completion of the job: its evidence is not that of the end of phase 1',
    ],
    [
      'a completion after another phase',
      'PhaseDispatched',
      '"phase":1',
      '"phase":2',
      'phase 2, the last one, did not complete',
    ],
  ])('names %s', async (_, type, from, to, expected) => {
    expect(found(await tamper(type, from, to)).join('\n')).toContain(expected);
  });

  it('is accepted again after the change was undone', async () => {
    expect(await verifyClaims(service)).toMatchObject({ problems: [], claims: 3, derived: 3 });
  });
});
