/** A tool-runner with the tools of the chaos agents only, and commands; they use no other remote tools. */
import { createToolRunnerConfig, runToolRunner } from '@phaseline/workers';
import { createChaosCommands } from '../agent/chaos-commands.js';
import { createChaosPack } from '../agent/chaos-pack.js';
import { effectsFile, workFolder } from './effects-file.js';

const packs = [createChaosPack(effectsFile()), createChaosCommands(workFolder())];
await runToolRunner({
  config: createToolRunnerConfig({}),
  createPacks: () => ({ packs, close: async () => undefined }),
});
