import { describe, expect, it } from 'vitest';
import type { EncodedUnit } from './encode-batch.js';
import { GroupCommit } from './group-commit.js';

const unit: EncodedUnit = { unit: { appends: [], blobs: [] }, texts: [] };

/** A group commit whose commits end when the spec says so. */
function openCommits(options: { lanes: number; minUnits: number }) {
  const running: { readonly size: number; end(): void }[] = [];
  const commits = new GroupCommit(
    (units) => new Promise((resolve) => running.push({ size: units.length, end: () => resolve(units.map(() => [])) })),
    { maxUnits: 128, maxBytes: 1_000, ...options },
  );
  const submit = (count: number) => Promise.all(Array.from({ length: count }, () => commits.submit(unit)));
  /** Submits units and ends their commit. */
  const commitFirst = async (count: number): Promise<void> => {
    const submitted = submit(count);
    await Promise.resolve();
    running[0]!.end();
    await submitted;
  };
  return { commits, running, submit, commitFirst };
}

describe('GroupCommit', () => {
  it('divides what waits among the free lanes', async () => {
    const { running, submit } = openCommits({ lanes: 2, minUnits: 4 });
    const all = submit(31);
    await Promise.resolve();
    expect(running.map(({ size }) => size)).toEqual([16, 15]);
    for (const { end } of running) end();
    await all;
  });

  it('does not divide a few', async () => {
    const { running, submit } = openCommits({ lanes: 2, minUnits: 4 });
    void submit(4);
    await Promise.resolve();
    expect(running.map(({ size }) => size)).toEqual([4]);
  });

  it('gives the next free lane all that waits meanwhile', async () => {
    const { commits, running, submit } = openCommits({ lanes: 2, minUnits: 4 });
    void submit(20);
    await Promise.resolve();
    void submit(12);
    await Promise.resolve();
    expect(running).toHaveLength(2);
    running[0]!.end();
    await new Promise(setImmediate);
    expect(running.map(({ size }) => size)).toEqual([10, 10, 12]);
    for (const { end } of running) end();
    await commits.close();
  });

  it('waits after a shared commit until all callers had a turn', async () => {
    const { commits, running, submit, commitFirst } = openCommits({ lanes: 2, minUnits: 4 });
    await commitFirst(2);
    void submit(1);
    await Promise.resolve();
    void submit(1);
    await new Promise(setImmediate);
    expect(running.map(({ size }) => size)).toEqual([2, 2]);
    running[1]!.end();
    await commits.close();
  });

  it('does not let a single caller wait', async () => {
    const { running, submit, commitFirst } = openCommits({ lanes: 2, minUnits: 4 });
    await commitFirst(1);
    void submit(1);
    await Promise.resolve();
    expect(running.map(({ size }) => size)).toEqual([1, 1]);
  });
});
