import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentDefinition, ToolSettings } from '@phaseline/domain';

/** A list is taken for new jobs for so long before the servers are asked again. */
const KEPT_MS = 60_000;

/**
 * How long a submission waits for a list, in milliseconds. Below the time limit of clients, which would otherwise blame this
 * service for a slow MCP server. The servers are asked on meanwhile, so that the next submission finds the list.
 */
const WAIT_MS = 12_000;

/** More names than this are counted. */
const SHOWN_NAMES = 20;

/** The MCP servers of an agent did not say which tools they have, so no job of it can begin. */
export class ToolsUnlisted extends Error {
  override readonly name = 'ToolsUnlisted';
  readonly code = 'tools_unlisted';
}

export interface ToolListingOptions {
  /** For specs. */
  readonly waitMs?: number;
  /** Called with what an operator should know of a list. */
  readonly onRemark?: (remark: string) => void;
}

interface Listing {
  readonly until: number;
  readonly settings: Promise<ToolSettings>;
  /** Servers that have not answered yet. */
  readonly waiting: Set<string>;
}

/** Writes the tools of an agent's MCP servers into its definition, so that a job keeps those that it began with. */
export class ToolListing {
  private readonly kept = new Map<string, Listing>();

  constructor(
    private readonly allowedNetworks: readonly string[],
    private readonly options: ToolListingOptions = {},
  ) {}

  /** Throws ToolsUnlisted. */
  async listed(agent: AgentDefinition): Promise<AgentDefinition> {
    const { settings } = agent;
    if (!settings?.mcp) return agent;
    const key = JSON.stringify(settings);
    const known = this.kept.get(key);
    const listing = known && known.until > performance.now() ? known : this.list(key, settings, agent.name);
    return { ...agent, settings: await this.within(listing) };
  }

  private list(key: string, settings: ToolSettings, agent: string): Listing {
    const waiting = new Set(Object.keys(settings.mcp?.servers ?? {}));
    const asked = this.ask(settings, waiting);
    const listing = { until: performance.now() + KEPT_MS, settings: asked, waiting };
    this.kept.set(key, listing);
    asked.then(
      (found) => this.remark(agent, found),
      () => this.kept.delete(key),
    );
    return listing;
  }

  private async within({ settings, waiting }: Listing): Promise<ToolSettings> {
    const over = new AbortController();
    const { waitMs = WAIT_MS } = this.options;
    const late = sleep(waitMs, undefined, { signal: over.signal }).then((): never => {
      const names = [...waiting].join(', ');
      throw new ToolsUnlisted(
        `the MCP server ${names} has not listed its tools after ${waitMs / 1_000} s. Phaseline waits for it and takes the list when it comes: submit the job again`,
      );
    });
    try {
      return await Promise.race([settings, late]);
    } finally {
      over.abort();
      late.catch(() => undefined);
    }
  }

  private remark(agent: string, settings: ToolSettings): void {
    for (const [name, { tools = [], leftOut = [] }] of Object.entries(settings.mcp?.servers ?? {})) {
      if (leftOut.length === 0) continue;
      const more = leftOut.length > SHOWN_NAMES ? ` and ${leftOut.length - SHOWN_NAMES} more` : '';
      this.options.onRemark?.(
        `agent ${agent}: the MCP server ${name} has ${tools.length + leftOut.length} tools, and the first ${tools.length} are offered. Left out: ${leftOut.slice(0, SHOWN_NAMES).join(', ')}${more}. Name the tools that are wanted under "allow", or set "onDemand: true"`,
      );
    }
  }

  private async ask(settings: ToolSettings, waiting: Set<string>): Promise<ToolSettings> {
    // Loaded with the first agent that has servers: most have none.
    const { connectOptions, McpUnavailable, withMcpTools } = await import('@phaseline/mcp');
    const options = connectOptions({ allowedNetworks: this.allowedNetworks });
    return withMcpTools(settings, options, (server) => waiting.delete(server)).catch((error: unknown) => {
      throw error instanceof McpUnavailable ? new ToolsUnlisted(error.message, { cause: error }) : error;
    });
  }
}
