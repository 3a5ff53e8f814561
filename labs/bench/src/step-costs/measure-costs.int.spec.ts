import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureCosts, type CostRow } from './measure-costs.js';
import { renderCosts } from './render-costs.js';

const LOAD = { jobs: 1, shortSteps: 6, longSteps: 16 };

let folder: string;
let rows: CostRow[];
beforeAll(async () => {
  folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-costs-'));
  rows = await measureCosts({
    ...{ folder, loads: [LOAD] },
    ways: [{ lane: 'inline' }, { lane: 'file' }, { lane: 'remote' }, { lane: 'remote', isQueued: true }],
    ...{ profileFolder: join(folder, 'profiles'), note: () => undefined },
  });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const findRow = (backend: CostRow['backend'], lane: CostRow['lane'], isQueued = false): CostRow =>
  rows.find((row) => row.backend === backend && row.lane === lane && row.isQueued === isQueued)!;

describe('measureCosts', () => {
  it.each(['postgres', 'redis'] as const)('counts the appends of a step exactly, %s queues', (backend) => {
    const [inline, file, remote] = (['inline', 'file', 'remote'] as const).map((lane) => findRow(backend, lane));
    expect(inline).toMatchObject({ steps: 10, statements: { append_one: 1, append: 0 } });
    expect(file).toMatchObject({ statements: { append_one: 0, append: 1 } });
    // The answer, and the result with the next call. On a busy machine, a process may answer too late to get a result.
    const { append_one: appends, reads } = remote!.statements;
    expect([Math.round(appends), Math.round(reads)]).toEqual([2, 0]);
    const queued = findRow(backend, 'remote', true);
    // The answer, the result, and the next call.
    expect(queued).toMatchObject({ statements: { append_one: 3, append: 0, pg_notify: 0 } });
    if (backend === 'postgres') expect(queued.statements.BullMQ).toBeGreaterThanOrEqual(4);
  });

  it('counts the events and flushes of the log', () => {
    for (const { lane, isQueued, database } of rows) {
      // The server may flush a few times more for reasons of its own.
      expect(Math.round(database.walFlushes)).toBe(lane !== 'remote' ? 1 : isQueued ? 3 : 2);
      expect(database.walBytes).toBeGreaterThan(500);
    }
    // The start of a process takes a few statements more or fewer, for what processes tell each other.
    const { commits, events } = findRow('redis', 'inline').database;
    expect({ commits: Math.round(commits), events }).toEqual({ commits: 1, events: 4 });
  });

  it('counts the commands of Redis only for its queues', () => {
    expect(findRow('postgres', 'remote').redisCommands).toEqual({});
    expect(findRow('redis', 'remote').redisCommands['publish']).toBeGreaterThan(0);
  });

  it('counts JSON texts, hashes and token counts', () => {
    for (const { work } of rows) for (const count of Object.values(work)) expect(count).toBeGreaterThan(0);
  });

  it('writes a profile per row', async () => {
    expect(await readdir(join(folder, 'profiles'))).toHaveLength(rows.length);
    for (const { profile } of rows) expect(profile!.length).toBeGreaterThan(3);
  });

  it('renders a line per row in each table', () => {
    const lines = renderCosts(rows).split('\n');
    expect(lines.filter((line) => line.startsWith('### '))).toHaveLength(6);
    expect(lines.filter((line) => line.startsWith('| postgres'))).toHaveLength(5 * 4);
    expect(lines.filter((line) => line.startsWith('| redis'))).toHaveLength(6 * 4);
  });
});
