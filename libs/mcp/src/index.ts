export { createConnectOptions, type McpOptions } from './connect-options.js';
export type { ConnectOptions } from './connect.js';
export { McpUnavailable } from './mcp-unavailable.js';
export { addMcpTools } from './add-mcp-tools.js';
