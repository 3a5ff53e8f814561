import { resolve } from 'node:path';
import {
  createChecksPack,
  createMcpPack,
  createCommandsPack,
  createRepositoryPack,
  documentsPack,
  createSearchPack,
  type RepositoryHost,
  type VerifiersHost,
} from '@phaseline/remote-packs';
import type { Sandbox } from '@phaseline/sandbox';
import type { PackHost } from '@phaseline/tools';
import type { ExecutedPacks } from '@phaseline/workers';
import type { Pool } from 'pg';
import { createStoringPacks } from './storing-packs.js';
import type { ToolRunnerConfig } from './tool-runner-config.js';
import { ProcessVerifierFolders } from './verification/process-verifier-folders.js';
import { WorkFolders, type WorkFoldersOptions } from './work-folders.js';

export interface ExecutedPackHosts {
  readonly pullRequests: RepositoryHost;
  readonly readVerifier: VerifiersHost['readVerifier'];
  /** What jobs need of their working folders, and what is done after some were removed. */
  readonly work: Pick<WorkFoldersOptions, 'readNeed' | 'onSwept'>;
}

/** Creates the packs that a tool-runner executes, from its configuration. */
export function createExecutedPacks(
  config: ToolRunnerConfig,
  host: PackHost<Pool>,
  sandbox: Sandbox,
  { pullRequests, readVerifier, work: needs }: ExecutedPackHosts,
): ExecutedPacks {
  const allowedNetworks = config.PHASELINE_ALLOWED_PRIVATE_NETWORKS;
  const search = createSearchPack({
    allowedNetworks,
    provider: config.PHASELINE_SEARCH_PROVIDER,
    tavilyApiKey: config.TAVILY_API_KEY,
    tavilyUrl: config.TAVILY_URL,
    searxngUrl: config.SEARXNG_URL,
  });
  const mcp = createMcpPack({ allowedNetworks, sandbox });
  const work = new WorkFolders({
    ...needs,
    root: config.PHASELINE_WORK_DIR,
    keepMs: config.PHASELINE_WORK_KEEP_MS,
  });
  const verifiers = new ProcessVerifierFolders(resolve(config.PHASELINE_WORK_DIR, 'verifiers'));
  const storing = createStoringPacks(config, host);
  return {
    packs: [
      documentsPack,
      search,
      createCommandsPack({ folders: work.folders, sandbox }),
      createRepositoryPack(pullRequests),
      createChecksPack({ sandbox, folders: verifiers.folders, readVerifier }),
      mcp,
      ...storing.packs,
    ],
    close: async () => {
      await Promise.all([mcp.close(), storing.close(), work.close(), verifiers.close()]);
    },
  };
}
