import { stuckPatterns } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { HONEST_SEEDS, honestRuns } from './honest/honest-runs.js';
import { judgeRuns, computeScores } from './judge-runs.js';
import { LABELLED_SET } from './labelled-set.js';
import { act, failedAct, createTimes, fineRun, type RunKind } from './labelled-run.js';
import { playThrough } from './play-through.js';

const findLosses = (kinds: readonly RunKind[], seeds: readonly number[]) =>
  playThrough(kinds, seeds).filter(({ loss }) => loss);

describe('long honest work', () => {
  it('is described in at least 100 different ways', () => {
    expect(new Set(honestRuns.map(({ name }) => name)).size).toBe(honestRuns.length);
    expect(honestRuns.length).toBeGreaterThanOrEqual(100);
    for (const kind of honestRuns) expect(kind.label).toBe('fine');
  });

  it('is never rewound or failed, and is nudged at most once per pattern', () => {
    expect(findLosses(honestRuns, HONEST_SEEDS)).toEqual([]);
    for (const { nudges, kind } of playThrough(honestRuns, HONEST_SEEDS))
      expect(nudges, kind).toBeLessThanOrEqual(stuckPatterns.length);
  });

  it('is not lost in labelled runs that are fine either', () => {
    for (const { kinds, seeds } of Object.values(LABELLED_SET))
      expect(
        findLosses(
          kinds.filter(({ label }) => label === 'fine'),
          seeds,
        ),
      ).toEqual([]);
  });

  it('survives calls to a busy server that are repeated until it answers', () => {
    const url = 'https://data.example.org/report';
    const busy = fineRun('repeats', () => [
      ...createTimes(11, () => [failedAct('fetch_url', { url }, `${url} answered 503 Service Unavailable.`)]),
      [act('fetch_url', { url }, 'The report.')],
    ]);
    expect(findLosses([busy], [1])).toEqual([]);
    const broken = fineRun('fails', () =>
      createTimes(11, () => [failedAct('fetch_url', { url }, `${url} answered 410 Gone.`)]),
    );
    expect(findLosses([broken], [1])).toMatchObject([{ loss: { decision: 'repeated_failure' } }]);
  });

  it('survives an occasional answer without a call, but not one after the other', () => {
    const remarks = fineRun('remarks', () =>
      createTimes(120, (i) => (i % 12 === 0 ? `Part ${i / 12} is done.` : [act('look', { at: i }, `Thing ${i}`)])),
    );
    expect(findLosses([remarks], [1])).toEqual([]);
    const talk = fineRun('talk', () =>
      createTimes(120, (i) => (i % 4 === 0 ? [act('look', { at: i }, `Thing ${i}`)] : `${i}`)),
    );
    expect(findLosses([talk], [1])).toMatchObject([{ loss: { decision: 'stopped_early' } }]);
  });
});

describe('labelled runs that are stuck', () => {
  // Counts measured before distinct queries stopped counting as circles; the recall of each pattern must not fall below them.
  const found = {
    tuning: [87, 24, 18, 12, 15, 9, 9],
    heldOut: [83, 20, 18, 15, 12, 9, 9],
    final: [56, 12, 12, 12, 8, 8, 4],
  };

  it.each(Object.entries(LABELLED_SET))('are detected as before: %s', (part, { kinds, seeds }) => {
    const scores = computeScores(judgeRuns(kinds, seeds), stuckPatterns).map((one) => one.found);
    expect(scores).toEqual(found[part as keyof typeof found]);
  });

  it('are still rewound or failed if they repeat the same queries', () => {
    const repeats = new Set([
      'lists the files, and lists the files',
      'the same graph query with a counter in it',
      'back and forth between two files',
      'search, open, search, open',
      'edit, test, revert, test',
      'is sorry',
    ]);
    const { kinds, seeds } = LABELLED_SET.tuning;
    const runs = playThrough(
      kinds.filter(({ name }) => repeats.has(name)),
      seeds,
    );
    expect(runs).toHaveLength(repeats.size * seeds.length);
    for (const { kind, loss } of runs) expect(loss, kind).toBeDefined();
  });
});
