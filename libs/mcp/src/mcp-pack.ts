import { z } from 'zod';
import type { McpServer, McpTool, ToolSpec } from '@phaseline/domain';
import {
  networks,
  runnerTool,
  type RunnerContext,
  type RunnerTool,
  type ToolOutcome,
  type ToolPack,
} from '@phaseline/tools';
import type { callTool } from './call-tool.js';
import type { ConnectOptions } from './connect.js';
import type { Connections } from './connections.js';
import { findTool, servers } from './listed-tools.js';
import { isMcpName } from './offered-name.js';

/** For connecting, beside the time that the call itself has. */
const CONNECT_ROOM_MS = 65_000;

export interface McpPackOptions {
  /** Networks in CIDR notation that HTTP servers may be in although they are not public; none by default. */
  readonly allowedNetworks?: readonly string[];
  /** What `${NAME}` in the settings stands for; the environment of this process, unless told otherwise. */
  readonly variables?: NodeJS.ProcessEnv;
}

export interface McpPack extends ToolPack {
  /** Ends all servers. */
  close(): Promise<void>;
}

/** How servers are reached. Throws for a network that is none. */
export function connectOptions({ allowedNetworks = [], variables }: McpPackOptions): ConnectOptions {
  return { rule: { allowed: networks(allowedNetworks) }, ...(variables ? { variables } : {}) };
}

/** The tools of the MCP servers that agents name, as their settings list them. */
export function mcpPack(options: McpPackOptions = {}): McpPack {
  const calls = new LazyCalls(connectOptions(options));
  return {
    name: 'mcp',
    tools: [],
    dynamic: {
      list: (settings) =>
        servers(settings).flatMap(([, server]) => (server.tools ?? []).map((tool) => specOf(server, tool))),
      tool: (name) => (isMcpName(name) ? mcpTool(name, calls) : undefined),
    },
    close: () => calls.close(),
  };
}

function specOf(server: McpServer, { offeredAs, description, parameters, effect }: McpTool): ToolSpec {
  return {
    definition: { name: offeredAs, description, parameters },
    lane: 'runner',
    effect,
    timeoutMs: server.timeoutMs + CONNECT_ROOM_MS,
  };
}

function mcpTool(name: string, calls: LazyCalls): RunnerTool {
  return runnerTool<Record<string, unknown>>({
    name,
    description: 'A tool of an MCP server.',
    input: z.record(z.string(), z.unknown()),
    effect: 'once',
    timeoutMs: 60_000 + CONNECT_ROOM_MS,
    adjust: (settings) => {
      const found = findTool(settings, name);
      return found ? { effect: found.tool.effect, timeoutMs: found.server.timeoutMs + CONNECT_ROOM_MS } : {};
    },
    run: (context, input) => calls.call(context, name, input),
  });
}

/** The client is loaded with the first call: a worker, which only lists, needs none. */
class LazyCalls {
  private loading?: Promise<{ readonly connections: Connections; readonly callTool: typeof callTool }>;

  constructor(private readonly options: ConnectOptions) {}

  async call(context: RunnerContext, name: string, input: Record<string, unknown>): Promise<ToolOutcome> {
    this.loading ??= this.load();
    const loaded = await this.loading;
    return loaded.callTool(context, name, input, loaded.connections);
  }

  async close(): Promise<void> {
    await (await this.loading)?.connections.close();
  }

  private async load() {
    const [{ Connections }, { callTool }] = await Promise.all([import('./connections.js'), import('./call-tool.js')]);
    return { connections: new Connections(this.options), callTool };
  }
}
