/** A tool-runner with the tool of the benchmark only. */
import { createToolRunnerConfig, runToolRunner } from '@phaseline/workers';
import { stepPack } from '../../step-calls.js';

await runToolRunner({
  config: createToolRunnerConfig({}),
  createPacks: () => ({ packs: [stepPack], close: async () => undefined }),
});
