import type { McpServer, McpTool, ToolSettings } from '@phaseline/contracts';

/** Returns the servers in the settings, with their names. */
export function listServers(settings: ToolSettings | undefined): readonly (readonly [string, McpServer])[] {
  return Object.entries(settings?.mcp?.servers ?? {});
}

/** Finds a tool, with its server, by the name offered to the model. */
export function findTool(
  settings: ToolSettings | undefined,
  name: string,
): { readonly serverName: string; readonly server: McpServer; readonly tool: McpTool } | undefined {
  for (const [serverName, server] of listServers(settings)) {
    const tool = server.tools?.find((one) => one.offeredAs === name);
    if (tool) return { serverName, server, tool };
  }
  return undefined;
}
