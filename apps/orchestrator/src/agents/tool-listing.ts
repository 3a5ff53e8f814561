import { CodedError } from '@phaseline/basics';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentDefinition } from '@phaseline/domain';
import type { ToolSettings } from '@phaseline/contracts';
import type { SecretScope, SecretStore } from '@phaseline/identity';
import { rememberSecrets } from '@phaseline/service';
import { parseNetworks, Sandbox, type SandboxSettings } from '@phaseline/sandbox';

/** Time in milliseconds for which a list is used for new jobs before the servers are asked again. */
const CACHE_MS = 60_000;

/**
 * Time in milliseconds that a submission waits for a list. It is below the timeout of clients, which would otherwise
 * blame this service for a slow MCP server. The request to the servers continues, so that the next submission finds the
 * list.
 */
const WAIT_MS = 12_000;

/** Maximum number of tool names shown; the rest is counted. */
const MAX_NAMES_SHOWN = 20;

/** Thrown when the MCP servers of an agent did not list their tools, so no job of the agent can start. */
export class ToolsUnlisted extends CodedError {
  readonly code = 'tools_unlisted';
}

export interface ToolListingOptions {
  /** How servers are contained while they are asked. Default: by what this machine has. */
  readonly sandbox?: SandboxSettings;
  /** For specs. */
  readonly waitMs?: number;
  /** Secrets that servers need to list their tools. */
  readonly secrets?: Pick<SecretStore, 'read'> | undefined;
  /** Called with what an operator should know about a list. */
  readonly onWarning?: (text: string) => void;
}

interface Listing {
  readonly until: number;
  readonly settings: Promise<ToolSettings>;
  /** Servers that have not answered yet. */
  readonly waiting: Set<string>;
}

/** Adds the tools of an agent's MCP servers to its definition, so that a job keeps the tools it started with. */
export class ToolListing {
  private readonly cache = new Map<string, Listing>();
  private sandbox?: Sandbox;

  constructor(
    private readonly allowedNetworks: readonly string[],
    private readonly options: ToolListingOptions = {},
  ) {}

  /** Returns the definition with the tools of its MCP servers, listed with the secrets of a tenant. Throws ToolsUnlisted. */
  async withListedTools(agent: AgentDefinition, tenant: string): Promise<AgentDefinition> {
    const { settings } = agent;
    if (!settings?.mcp) return agent;
    const usesSecrets = Object.values(settings.mcp.servers).some(({ secrets = [] }) => secrets.length > 0);
    const scope = { tenant, agent: agent.name };
    const key = JSON.stringify([settings, ...(usesSecrets ? [scope] : [])]);
    const known = this.cache.get(key);
    const listing = known && known.until > performance.now() ? known : this.list(key, settings, scope);
    return { ...agent, settings: await this.awaitListing(listing) };
  }

  private list(key: string, settings: ToolSettings, scope: Required<SecretScope>): Listing {
    const waiting = new Set(Object.keys(settings.mcp?.servers ?? {}));
    const requested = this.requestTools(settings, scope, waiting);
    const listing = { until: performance.now() + CACHE_MS, settings: requested, waiting };
    this.cache.set(key, listing);
    requested.then(
      (found) => this.remark(scope.agent!, found),
      () => this.cache.delete(key),
    );
    return listing;
  }

  private async awaitListing({ settings, waiting }: Listing): Promise<ToolSettings> {
    const done = new AbortController();
    const { waitMs = WAIT_MS } = this.options;
    const late = sleep(waitMs, undefined, { signal: done.signal }).then((): never => {
      const names = [...waiting].join(', ');
      throw new ToolsUnlisted(
        `the MCP server ${names} has not listed its tools after ${waitMs / 1_000} s. Phaseline keeps waiting and will use the list when it arrives: submit the job again`,
      );
    });
    try {
      return await Promise.race([settings, late]);
    } finally {
      done.abort();
      late.catch(() => undefined);
    }
  }

  private remark(agent: string, settings: ToolSettings): void {
    for (const [name, { tools = [], omittedTools = [] }] of Object.entries(settings.mcp?.servers ?? {})) {
      if (omittedTools.length === 0) continue;
      const more = omittedTools.length > MAX_NAMES_SHOWN ? ` and ${omittedTools.length - MAX_NAMES_SHOWN} more` : '';
      this.options.onWarning?.(
        `agent ${agent}: the MCP server ${name} has ${tools.length + omittedTools.length} tools, and the first ${tools.length} are offered. Omitted: ${omittedTools.slice(0, MAX_NAMES_SHOWN).join(', ')}${more}. Name the tools that are wanted under "allow", or set "onDemand: true"`,
      );
    }
  }

  private async requestTools(
    settings: ToolSettings,
    scope: Required<SecretScope>,
    waiting: Set<string>,
  ): Promise<ToolSettings> {
    // Loaded on demand, because most installations have no MCP servers.
    const { createConnectOptions, McpUnavailable, addMcpTools } = await import('@phaseline/mcp');
    const { secrets } = this.options;
    const rule = { allowed: parseNetworks(this.allowedNetworks) };
    this.sandbox ??= new Sandbox(this.options.sandbox ?? { mode: 'auto' }, rule);
    const readSecrets = async (names: readonly string[]) => {
      const values = await secrets!.read(scope, names);
      rememberSecrets(Object.values(values));
      return values;
    };
    const options = createConnectOptions({
      allowedNetworks: this.allowedNetworks,
      sandbox: this.sandbox,
      ...(secrets ? { readSecrets } : {}),
    });
    return addMcpTools(settings, options, (server) => waiting.delete(server)).catch((error: unknown) => {
      throw error instanceof McpUnavailable ? new ToolsUnlisted(error.message, { cause: error }) : error;
    });
  }
}
