export type { ConnectOptions } from './connect.js';
export { McpUnavailable } from './mcp-unavailable.js';
export { withMcpTools } from './with-mcp-tools.js';
export { connectOptions, mcpPack } from './mcp-pack.js';
export type { McpPack, McpPackOptions } from './mcp-pack.js';
export { offeredName } from './offered-name.js';
