import { expect, it } from 'vitest';
import { duration } from './duration.js';
import { Progress } from './progress.js';

/** A clock that stands until it is moved, and work that goes on until it is let go. */
function scene(limitMs = 1_000) {
  let now = 0;
  const progress = new Progress({ limitMs, now: () => now });
  return { progress, pass: (ms: number) => void (now += ms) };
}

/** Work that does what it is told, in its own context, until it is told to end. */
function hold(progress: Progress, name: string) {
  const steps: (() => void | Promise<void>)[] = [];
  let wake = Promise.withResolvers<void>();
  let over = false;
  const ended = progress.run(name, async () => {
    while (!over) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      for (const step of steps.splice(0)) await step();
    }
  });
  const tell = async (step: () => void | Promise<void>): Promise<void> => {
    await new Promise<void>((resolve) => {
      steps.push(async () => {
        await step();
        resolve();
      });
      wake.resolve();
    });
  };
  return { tell, end: async () => (await tell(() => void (over = true)), ended) };
}

it('has nothing to say while nothing is held, or what is held moves', async () => {
  const { progress, pass } = scene();
  expect(progress.complaint()).toBeUndefined();
  const work = hold(progress, 'phase-1');
  pass(900);
  await work.tell(() => progress.touch());
  pass(900);
  expect(progress.complaint()).toBeUndefined();
  pass(101);
  expect(progress.complaint()).toBe('phase-1, which has begun, has not moved for 1 s; it may be silent for 1 s');
  await work.end();
  expect(progress.complaint()).toBeUndefined();
  expect(progress.held).toBe(0);
});

it('counts progress for the work it belongs to only', async () => {
  const { progress, pass } = scene();
  const [busy, stuck] = [hold(progress, 'busy'), hold(progress, 'stuck')];
  pass(1_500);
  await busy.tell(() => progress.touch());
  expect(progress.stalls()).toMatchObject([{ name: 'stuck', silentMs: 1_500 }]);
  pass(2_000);
  expect(progress.complaint()).toMatch(/^stuck, which .*; and 1 more of 2 held$/);
  await busy.end();
  await stuck.end();
});

it('gives a slow part the time that it asked for, and takes it back afterwards', async () => {
  const { progress, pass } = scene();
  const work = hold(progress, 'phase-1');
  const answer = Promise.withResolvers<void>();
  let part: Promise<void> | undefined;
  await work.tell(() => void (part = progress.within('waits for the model', 60_000, () => answer.promise)));
  pass(50_000);
  expect(progress.complaint()).toBeUndefined();
  // The first byte came: from now on the pauses between two are shorter.
  await work.tell(() => progress.allow(5_000));
  pass(5_001);
  expect(progress.complaint()).toMatch(/^phase-1, which waits for the model, has not moved for 5 s; .* 5 s$/);
  answer.resolve();
  await part;
  expect(progress.complaint()).toBeUndefined();
  pass(1_001);
  expect(progress.complaint()).toMatch(/may be silent for 1 s/);
  await work.end();
});

it('does nothing outside of any work', async () => {
  const { progress } = scene();
  progress.touch();
  progress.allow(1);
  expect(await progress.within('x', 1, async () => 'done')).toBe('done');
});

it('ends the work that throws', async () => {
  const { progress, pass } = scene();
  await expect(progress.run('phase-1', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  pass(10_000);
  expect(progress.complaint()).toBeUndefined();
});

it.each([
  [340, '340 ms'],
  [12_900, '12 s'],
  [300_000, '5 min'],
  [303_000, '5 min 3 s'],
  [7_500_000, '2 h 5 min'],
])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));
