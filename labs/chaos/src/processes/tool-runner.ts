/** A tool-runner with the tools of the chaos agent only; its agent uses no other remote tools. */
import { createToolRunnerConfig, runToolRunner } from '@phaseline/workers';
import { createChaosPack } from '../agent/chaos-pack.js';
import { effectsFile } from './effects-file.js';

const packs = [createChaosPack(effectsFile())];
await runToolRunner({
  config: createToolRunnerConfig({}),
  createPacks: () => ({ packs, close: async () => undefined }),
});
