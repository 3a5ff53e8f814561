import type { AgentDefinition, ToolSettings } from '@phaseline/domain';

/** A list is taken for new jobs for so long before the servers are asked again. */
const KEPT_MS = 60_000;

/** The MCP servers of an agent did not say which tools they have, so no job of it can begin. */
export class ToolsUnlisted extends Error {
  override readonly name = 'ToolsUnlisted';
  readonly code = 'tools_unlisted';
}

/** Writes the tools of an agent's MCP servers into its definition, so that a job keeps those that it began with. */
export class ToolListing {
  private readonly kept = new Map<string, { readonly until: number; readonly settings: Promise<ToolSettings> }>();

  constructor(private readonly allowedNetworks: readonly string[]) {}

  /** Throws ToolsUnlisted. */
  async listed(agent: AgentDefinition): Promise<AgentDefinition> {
    const { settings } = agent;
    if (!settings?.mcp) return agent;
    const key = JSON.stringify(settings);
    const now = performance.now();
    const known = this.kept.get(key);
    if (known && known.until > now) return { ...agent, settings: await known.settings };
    const listing = this.ask(settings);
    this.kept.set(key, { until: now + KEPT_MS, settings: listing });
    listing.catch(() => this.kept.delete(key));
    return { ...agent, settings: await listing };
  }

  private async ask(settings: ToolSettings): Promise<ToolSettings> {
    // Loaded with the first agent that has servers: most have none.
    const { connectOptions, McpUnavailable, withMcpTools } = await import('@phaseline/mcp');
    return withMcpTools(settings, connectOptions({ allowedNetworks: this.allowedNetworks })).catch((error: unknown) => {
      throw error instanceof McpUnavailable ? new ToolsUnlisted(error.message, { cause: error }) : error;
    });
  }
}
