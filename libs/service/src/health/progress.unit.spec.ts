import { expect, it } from 'vitest';
import { formatDuration } from './format-duration.js';
import { Progress } from './progress.js';

/** Creates a `Progress` with a clock that only `advance` moves. */
function createProgress(limitMs = 1_000) {
  let now = 0;
  const progress = new Progress({ limitMs, now: () => now });
  return { progress, advance: (ms: number) => void (now += ms) };
}

/** Starts work that runs the given steps in its own async context until `end` is called. */
function startWork(progress: Progress, name: string) {
  const steps: (() => void | Promise<void>)[] = [];
  let wake = Promise.withResolvers<void>();
  let isDone = false;
  const ended = progress.run(name, async () => {
    while (!isDone) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      for (const step of steps.splice(0)) await step();
    }
  });
  const runStep = async (step: () => void | Promise<void>): Promise<void> => {
    await new Promise<void>((resolve) => {
      steps.push(async () => {
        await step();
        resolve();
      });
      wake.resolve();
    });
  };
  return { runStep, end: async () => (await runStep(() => void (isDone = true)), ended) };
}

it('reports no stall while there is no work or the work makes progress', async () => {
  const { progress, advance } = createProgress();
  expect(progress.describeStall()).toBeUndefined();
  const work = startWork(progress, 'phase-1');
  advance(900);
  await work.runStep(() => progress.touch());
  advance(900);
  expect(progress.describeStall()).toBeUndefined();
  advance(101);
  expect(progress.describeStall()).toBe('phase-1, which has started, has made no progress for 1 s; its limit is 1 s');
  await work.end();
  expect(progress.describeStall()).toBeUndefined();
  expect(progress.workCount).toBe(0);
});

it('counts progress only for the work that it belongs to', async () => {
  const { progress, advance } = createProgress();
  const [busy, stuck] = [startWork(progress, 'busy'), startWork(progress, 'stuck')];
  advance(1_500);
  await busy.runStep(() => progress.touch());
  expect(progress.findStalls()).toMatchObject([{ name: 'stuck', silentMs: 1_500 }]);
  advance(2_000);
  expect(progress.describeStall()).toMatch(/^stuck, which .*; 1 more of 2 are stalled$/);
  await busy.end();
  await stuck.end();
});

it('applies the limit of a slow part until the part ends', async () => {
  const { progress, advance } = createProgress();
  const work = startWork(progress, 'phase-1');
  const response = Promise.withResolvers<void>();
  let part: Promise<void> | undefined;
  await work.runStep(() => void (part = progress.runPart('waits for the model', 60_000, () => response.promise)));
  advance(50_000);
  expect(progress.describeStall()).toBeUndefined();
  // The first byte has arrived: from now on the pauses between two bytes must be shorter.
  await work.runStep(() => progress.setLimit(5_000));
  advance(5_001);
  expect(progress.describeStall()).toMatch(
    /^phase-1, which waits for the model, has made no progress for 5 s; .* 5 s$/,
  );
  response.resolve();
  await part;
  expect(progress.describeStall()).toBeUndefined();
  advance(1_001);
  expect(progress.describeStall()).toMatch(/its limit is 1 s/);
  await work.end();
});

it('does nothing outside run', async () => {
  const { progress } = createProgress();
  progress.touch();
  progress.setLimit(1);
  expect(await progress.runPart('x', 1, async () => 'done')).toBe('done');
});

it('stops monitoring work that throws', async () => {
  const { progress, advance } = createProgress();
  await expect(progress.run('phase-1', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  advance(10_000);
  expect(progress.describeStall()).toBeUndefined();
});

it.each([
  [340, '340 ms'],
  [12_900, '12 s'],
  [300_000, '5 min'],
  [303_000, '5 min 3 s'],
  [7_500_000, '2 h 5 min'],
])('formats %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
