import { mcpPack } from '@phaseline/mcp';
import { commandsPack, documentsPack, searchPack, type PackHost, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import { keepingPacks } from './keeping-packs.js';
import type { ToolRunnerConfig } from './tool-runner-config.js';

export interface ExecutedPacks {
  readonly packs: readonly ToolPack[];
  /** Ends what they keep open. */
  close(): Promise<void>;
}

/**
 * The packs with tools that a tool-runner executes, set up by its configuration. Without a host, those that keep something
 * beside the log only tell what their tools take.
 */
export function executedPacks(config: ToolRunnerConfig, host?: PackHost<Pool>): ExecutedPacks {
  const allowedNetworks = config.PHASELINE_ALLOWED_NETWORKS;
  const search = searchPack({
    allowedNetworks,
    provider: config.PHASELINE_SEARCH,
    tavilyApiKey: config.TAVILY_API_KEY,
    tavilyUrl: config.TAVILY_URL,
    searxngUrl: config.SEARXNG_URL,
  });
  const mcp = mcpPack({ allowedNetworks });
  const keeping = keepingPacks(config, host);
  return {
    packs: [documentsPack, search, commandsPack, mcp, ...keeping.packs],
    close: async () => {
      await Promise.all([mcp.close(), keeping.close()]);
    },
  };
}
