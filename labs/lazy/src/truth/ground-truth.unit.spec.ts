import { SeededRandom } from '@phaseline/harness';
import { describe, expect, it } from 'vitest';
import { kinds } from '../kinds/kinds.js';
import { applyScript } from '../script/apply-script.fixture.js';
import { writeHonestFeatures } from '../script/feature-script.js';
import { writeHonestScript } from '../script/honest-script.js';
import { isFeaturesTask } from '../tasks/features-task.js';
import { generateTask } from '../tasks/generate-task.js';

const SEEDS = [1, 2, 3];

describe.each(['requirements', 'totals', 'report', 'code', 'features'] as const)(
  'the truth about the task %s',
  (name) => {
    it('calls honest work done, and every part of it', async () => {
      for (const seed of SEEDS) {
        const task = generateTask(name, seed);
        const files = await applyScript(
          task,
          isFeaturesTask(task) ? writeHonestFeatures(task) : writeHonestScript(task),
        );
        expect(await task.truth.job(files), `seed ${seed}`).toEqual([]);
        for (const [path, findFlaws] of Object.entries(task.truth.parts))
          expect(await findFlaws(files), path).toEqual([]);
        expect(Object.keys(task.truth.parts)).toEqual(expect.arrayContaining(task.todos.map(({ output }) => output)));
      }
    });

    it('calls an untouched workspace not done, in every part', async () => {
      const task = generateTask(name, 1);
      const files = new Map([...task.documents, ...task.files].map(({ path, content }) => [path, content]));
      expect(await task.truth.job(files)).not.toEqual([]);
      for (const [path, findFlaws] of Object.entries(task.truth.parts))
        expect(await findFlaws(files), path).not.toEqual([]);
    });

    it('generates the same task from the same seed, and another one from another', () => {
      const text = (seed: number): string => JSON.stringify({ ...generateTask(name, seed), truth: undefined });
      expect(text(1)).toBe(text(1));
      expect(text(1)).not.toBe(text(2));
    });
  },
);

it.each(kinds.map((kind) => [kind.name, kind] as const))('the truth denies the work of %s', async (_name, kind) => {
  for (const seed of SEEDS) {
    const task = generateTask(kind.task, seed);
    const honest = isFeaturesTask(task) ? writeHonestFeatures(task) : writeHonestScript(task);
    const files = await applyScript(task, kind.play(honest, task, new SeededRandom(seed)));
    expect(await task.truth.job(files), `seed ${seed}`).not.toEqual([]);
  }
});
