import { resolve } from 'node:path';
import { HttpEmbedder } from '@phaseline/embeddings';
import { GuardSetFolders } from '@phaseline/hooks/runner';
import { AgentTraces, Similarity } from '@phaseline/learning';
import {
  createChecksPack,
  createGuardsPack,
  createLearningPack,
  createMcpPack,
  createCommandsPack,
  createRepositoryPack,
  createPortfolioHost,
  createSchedulingPack,
  documentsPack,
  createSearchPack,
  type GuardsHost,
  type RepositoryHost,
  type VerifiersHost,
} from '@phaseline/remote-packs';
import type { Sandbox } from '@phaseline/sandbox';
import { toEmbeddingSettings } from '@phaseline/service';
import type { PackHost } from '@phaseline/tools';
import { VerifierFolders } from '@phaseline/verification';
import type { ExecutedPacks } from '@phaseline/workers';
import type { Pool } from 'pg';
import { ProcessFolder } from './process-folder.js';
import { createStoringPacks } from './storing-packs.js';
import type { ToolRunnerConfig } from './tool-runner-config.js';
import { WorkFolders, type WorkFoldersOptions } from './work-folders.js';

export interface ExecutedPackHosts {
  readonly pullRequests: RepositoryHost;
  /** Says whose plan a job makes. */
  readonly findPlanOwner: Parameters<typeof createPortfolioHost>[1];
  readonly readVerifier: VerifiersHost['readVerifier'];
  /** Called if learning traces are searched by words alone for a time, because the server of embeddings did not answer. */
  readonly onProblem: (error: unknown) => void;
  readonly guards: Pick<GuardsHost, 'readPhase' | 'listMessages'>;
  /** What jobs need of their working folders, and what is done after some were removed. */
  readonly work: Pick<WorkFoldersOptions, 'readNeed' | 'onSwept'>;
}

/** Creates the packs that a tool-runner executes, from its configuration. */
export function createExecutedPacks(
  config: ToolRunnerConfig,
  host: PackHost<Pool>,
  sandbox: Sandbox,
  { pullRequests, findPlanOwner, readVerifier, guards, work: needs, onProblem }: ExecutedPackHosts,
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
  const verifiers = new ProcessFolder(resolve(config.PHASELINE_WORK_DIR, 'verifiers'));
  const guardSets = new ProcessFolder(resolve(config.PHASELINE_WORK_DIR, 'guard-sets'));
  const storing = createStoringPacks(config, host);
  return {
    packs: [
      documentsPack,
      createSchedulingPack(createPortfolioHost(host, findPlanOwner)),
      search,
      createCommandsPack({ folders: work.folders, sandbox }),
      createRepositoryPack(pullRequests),
      createChecksPack({ sandbox, folders: new VerifierFolders(verifiers.open), readVerifier }),
      createGuardsPack({
        sandbox,
        workFolders: work.folders,
        setFolders: new GuardSetFolders(guardSets.open),
        ...guards,
      }),
      createLearningPack(host, new AgentTraces(host.database, createSimilarity(config, host.database, onProblem))),
      mcp,
      ...storing.packs,
    ],
    close: async () => {
      await Promise.all([mcp.close(), storing.close(), work.close(), verifiers.close(), guardSets.close()]);
    },
  };
}

function createSimilarity(
  config: ToolRunnerConfig,
  database: Pool,
  onProblem: (error: unknown) => void,
): Similarity | undefined {
  const settings = toEmbeddingSettings(config);
  return settings && new Similarity(database, new HttpEmbedder(settings), onProblem);
}
