import type { ToolSettings } from '@phaseline/contracts';
import type { ConnectOptions } from './connect.js';

/** Lists the tools of every MCP server in the settings and returns the settings with these tools. Throws McpUnavailable. */
export async function addMcpTools(
  settings: ToolSettings,
  options: ConnectOptions,
  onListed?: (server: string) => void,
): Promise<ToolSettings> {
  // The client is large and most processes never need it, so it is loaded only if there are servers.
  return settings.mcp ? (await import('./list-tools.js')).listAllTools(settings, options, onListed) : settings;
}
