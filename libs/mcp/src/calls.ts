// Separate from the main entry of the library because it loads the MCP client, which is large.
export { callTool } from './call-tool.js';
export { Connections } from './connections.js';
