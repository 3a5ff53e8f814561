import { z } from 'zod';
import type { McpServer, McpTool, ToolSpec } from '@phaseline/contracts';
import {
  defineRemoteTool,
  type RemoteToolContext,
  type RemoteTool,
  type ToolOutcome,
  type ToolPack,
} from '@phaseline/tools';
import {
  createConnectOptions,
  findTool,
  isMcpName,
  listServers,
  type ConnectOptions,
  type McpOptions,
} from '@phaseline/mcp';
import type { callTool, Connections } from '@phaseline/mcp/calls';

/** Time for connecting, added to the timeout of a call. */
const CONNECT_ALLOWANCE_MS = 65_000;

export interface McpPack extends ToolPack {
  /** Closes all connections and stops their servers. */
  close(): Promise<void>;
}

/** Creates the pack of the MCP tools listed in an agent's settings. */
export function createMcpPack(options: McpOptions = {}): McpPack {
  const calls = new LazyCalls(createConnectOptions(options));
  return {
    name: 'mcp',
    tools: [],
    dynamic: {
      list: (settings) =>
        listServers(settings).flatMap(([, server]) => (server.tools ?? []).map((tool) => toToolSpec(server, tool))),
      get: (name) => (isMcpName(name) ? createMcpTool(name, calls) : undefined),
    },
    close: () => calls.close(),
  };
}

function toToolSpec(server: McpServer, { offeredAs, description, parameters, effect }: McpTool): ToolSpec {
  return {
    definition: { name: offeredAs, description, parameters },
    lane: 'runner',
    effect,
    timeoutMs: server.timeoutMs + CONNECT_ALLOWANCE_MS,
  };
}

function createMcpTool(name: string, calls: LazyCalls): RemoteTool {
  return defineRemoteTool<Record<string, unknown>>({
    name,
    description: 'A tool of an MCP server.',
    input: z.record(z.string(), z.unknown()),
    effect: 'once',
    timeoutMs: 60_000 + CONNECT_ALLOWANCE_MS,
    adjust: (settings) => {
      const found = findTool(settings, name);
      return found ? { effect: found.tool.effect, timeoutMs: found.server.timeoutMs + CONNECT_ALLOWANCE_MS } : {};
    },
    run: (context, input) => calls.call(context, name, input),
  });
}

/** Loads the client on the first call. A worker only offers the tools and never needs it. */
class LazyCalls {
  private loading?: Promise<{ readonly connections: Connections; readonly callTool: typeof callTool }>;

  constructor(private readonly options: ConnectOptions) {}

  async call(context: RemoteToolContext, name: string, input: Record<string, unknown>): Promise<ToolOutcome> {
    this.loading ??= this.load();
    const loaded = await this.loading;
    return loaded.callTool(context, name, input, loaded.connections);
  }

  async close(): Promise<void> {
    await (await this.loading)?.connections.close();
  }

  private async load() {
    const { Connections, callTool } = await import('@phaseline/mcp/calls');
    return { connections: new Connections(this.options), callTool };
  }
}
