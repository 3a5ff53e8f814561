import { expect, it } from 'vitest';
import { stepsSection } from './steps-section.js';

// A new rule for todos can make the scripted job fail, which otherwise only a run of the benchmark would show.
it('the scripted job of the benchmarks completes', async () => {
  const [table] = await stepsSection.run({ quick: true });
  expect(table!.rows.map(([name]) => name)).toHaveLength(3);
});
