import { z } from 'zod';
import { isMcpName, mcpSpec } from '@phaseline/pack-specs';
import {
  defineRemoteTool,
  type RemoteToolContext,
  type RemoteTool,
  type ToolOutcome,
  type ToolPack,
} from '@phaseline/tools';
import { createConnectOptions, type ConnectOptions, type McpOptions } from '@phaseline/mcp';
import type { callTool, Connections } from '@phaseline/mcp/calls';

export interface McpPack extends ToolPack {
  /** Closes all connections and stops their servers. */
  close(): Promise<void>;
}

/** Creates the pack of the MCP tools listed in an agent's settings. */
export function createMcpPack(options: McpOptions = {}): McpPack {
  const calls = new LazyCalls(createConnectOptions(options));
  return {
    ...mcpSpec,
    tools: [],
    dynamic: {
      list: (settings) => mcpSpec.dynamic?.list(settings) ?? [],
      get: (name) => (isMcpName(name) ? createMcpTool(name, calls) : undefined),
    },
    close: () => calls.close(),
  };
}

function createMcpTool(name: string, calls: LazyCalls): RemoteTool {
  // Only `run` is used: what a call may do and how long it may take is recorded in its `ToolCallRequested`.
  return defineRemoteTool({
    name,
    description: '',
    input: z.record(z.string(), z.unknown()),
    effect: 'once',
    timeoutMs: 0,
    run: (context, input) => calls.call(context, name, input),
  });
}

/** Loads the client on the first call, because most installations have no MCP servers. */
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
