import type { ToolSettings } from '@phaseline/domain';
import type { ConnectOptions } from './connect.js';

/** The settings with the tools of every MCP server that they name written into them. Throws McpUnavailable. */
export async function withMcpTools(
  settings: ToolSettings,
  options: ConnectOptions,
  onListed?: (server: string) => void,
): Promise<ToolSettings> {
  // The client is loaded only where there are servers: it is large, and most processes never need it.
  return settings.mcp ? (await import('./list-tools.js')).listAllTools(settings, options, onListed) : settings;
}
