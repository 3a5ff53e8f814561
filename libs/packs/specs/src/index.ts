export { cacheSpec, CLAIM_OUTCOMES, REQUIREMENT_STATUSES } from './cache.js';
export { citationsSpec } from './citations.js';
export { commandsSpec, describeAllowedCommands, MAX_RESULT_OUTPUT } from './commands.js';
export { discoverySpec } from './discovery.js';
export {
  DEFAULT_CHUNK_TOKENS,
  DEFAULT_MIN_CONFIDENCE,
  DEFAULT_OVERLAP_TOKENS,
  DEFAULT_REQUIREMENTS_FILE,
  documentsSpec,
} from './documents.js';
export { graphSpec } from './graph.js';
export { findMcpTool, isMcpName, MCP_NAME_PREFIX, mcpSpec } from './mcp.js';
export { FILES_HEADING, MAX_ITEM_CHARACTERS, MEMORY_FILE, memorySpec, STATE_HEADING } from './memory.js';
export { packSpecs } from './pack-specs.js';
export { scriptsSpec } from './scripts.js';
export { searchSpec } from './search.js';
export { skillsSpec } from './skills.js';
export { todosSpec } from './todos.js';
export { vectorsSpec } from './vectors.js';
export { MAX_READ_LINES, workspaceSpec } from './workspace.js';
