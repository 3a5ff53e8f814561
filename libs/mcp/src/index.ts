export { connectOptions, type McpOptions } from './connect-options.js';
export type { ConnectOptions } from './connect.js';
export { McpUnavailable } from './mcp-unavailable.js';
export { withMcpTools } from './with-mcp-tools.js';
export { offeredName } from './offered-name.js';
export { findTool, servers } from './listed-tools.js';
export { isMcpName } from './offered-name.js';
