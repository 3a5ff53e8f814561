import { runToolRunner } from '@phaseline/workers';
import { createExecutedPacks } from './executed-packs.js';
import { MirrorKeeper } from './mirror-keeper.js';
import { createPackHost } from './storing-packs.js';
import { toolRunnerConfig } from './tool-runner-config.js';

await runToolRunner({
  config: toolRunnerConfig,
  createPacks: (config, database, store) => createExecutedPacks(config, createPackHost(database, store)),
  providers: [MirrorKeeper],
});
