import type { McpServer, McpTool, PackSpec, ToolSettings, ToolSpec } from '@phaseline/contracts';

/** Beginning of the names under which tools of MCP servers are offered: `mcp__server__tool`. */
export const MCP_NAME_PREFIX = 'mcp__';

/** Time for connecting, added to the timeout of a call. */
const CONNECT_ALLOWANCE_MS = 65_000;

/** The tools of the MCP servers that an agent's settings name. */
export const mcpSpec: PackSpec = {
  name: 'mcp',
  tools: [],
  dynamic: {
    list: (settings) =>
      listServers(settings).flatMap(([, server]) => (server.tools ?? []).map((tool) => toToolSpec(server, tool))),
  },
};

/** A listed tool with its server. */
export interface FoundMcpTool {
  readonly serverName: string;
  readonly server: McpServer;
  readonly tool: McpTool;
}

/** Finds a listed tool by the name offered to the model. */
export function findMcpTool(settings: ToolSettings | undefined, name: string): FoundMcpTool | undefined {
  for (const [serverName, server] of listServers(settings)) {
    const tool = server.tools?.find((one) => one.offeredName === name);
    if (tool) return { serverName, server, tool };
  }
  return undefined;
}

export function isMcpName(name: string): boolean {
  return name.startsWith(MCP_NAME_PREFIX);
}

function listServers(settings: ToolSettings | undefined): readonly (readonly [string, McpServer])[] {
  return Object.entries(settings?.mcp?.servers ?? {});
}

function toToolSpec(server: McpServer, { offeredName, description, parameters, effect }: McpTool): ToolSpec {
  return {
    definition: { name: offeredName, description, parameters },
    lane: 'remote',
    effect,
    timeoutMs: server.timeoutMs + CONNECT_ALLOWANCE_MS,
    traits: [],
  };
}
