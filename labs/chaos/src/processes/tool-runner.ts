/** A tool-runner with the tools of the chaos agents, commands, verifiers and hooks; they use no other remote tools. */
import { join } from 'node:path';
import { createCommandsPack } from '@phaseline/remote-packs';
import { JobRepository } from '@phaseline/repository';
import { Sandbox } from '@phaseline/sandbox';
import { createToolRunnerConfig, runToolRunner } from '@phaseline/workers';
import { createChaosChecks } from '../agent/chaos-checks.js';
import { createChaosFolders } from '../agent/chaos-commands.js';
import { createChaosPack } from '../agent/chaos-pack.js';
import { effectsFile, workFolder } from './effects-file.js';

await runToolRunner({
  config: createToolRunnerConfig({}),
  createPacks: (_config, { store }) => {
    const sandbox = new Sandbox({ mode: 'auto' });
    const root = workFolder();
    const workFolders = createChaosFolders(join(root, 'commands'));
    const repository = new JobRepository(store);
    const packs = [
      createChaosPack(effectsFile()),
      createCommandsPack({ folders: workFolders, sandbox }),
      ...createChaosChecks({ repository, blobs: store.blobs, sandbox, workFolders, root }),
    ];
    return { packs, close: async () => undefined };
  },
});
