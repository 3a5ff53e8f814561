/** A tool-runner with the tool of the benchmark only. */
import { createToolRunnerConfig, runToolRunner } from '@phaseline/workers';
import { echoPack } from '../../echo-pack.js';

await runToolRunner({
  config: createToolRunnerConfig({}),
  createPacks: () => ({ packs: [echoPack], close: async () => undefined }),
});
