export { withIgnored } from './arguments/with-ignored.js';
export type { CacheOptions } from './cache/cache-options.js';
export { cachePack } from './cache/cache-pack.js';
export { clipResult } from './clip-result.js';
export { keepResult } from './keep-result.js';
export type { KeptResult, ResultPlace } from './keep-result.js';
export { citationsPack } from './citations/citations-pack.js';
export { commandsPack } from './commands/commands-pack.js';
export { ToolIndex } from './discovery/rank-tools.js';
export type { RankedTool } from './discovery/rank-tools.js';
export { discoveryPack } from './discovery/search-tools.js';
export { plainWords, requestWords } from './discovery/request-words.js';
export type { ReadRequest } from './discovery/request-words.js';
export { documentsPack } from './documents/index.js';
export { fillReferences, withoutSecrets } from './environment/fill-references.js';
export type { FilledValues } from './environment/fill-references.js';
export { networks } from './search/addresses.js';
export { guardedRequest } from './search/guarded-request.js';
export type { AddressRule } from './search/guarded-request.js';
export { searchPack } from './search/search-pack.js';
export type { SearchPackOptions } from './search/search-pack.js';
export { collectionOf, hostOf, withDatabase, type Database, type PackHost } from './pack-host.js';
export type {
  DynamicTools,
  LogTool,
  LogToolContext,
  LogToolOutcome,
  RunnerContext,
  RunnerTool,
  Tool,
  ToolAdjustment,
  ToolOutcome,
  ToolPack,
} from './tool.js';
export { logTool, runnerTool } from './tool.js';
export { ToolError } from './tool-error.js';
export { ToolRegistry } from './tool-registry.js';
export { takeTurn, yielding } from './yield-loop.js';
export { memoryPack } from './memory/memory-pack.js';
export { scriptsPack } from './scripts/run-script.js';
export { skillsPack } from './skills/read-skill.js';
export { todosPack } from './todos/todo-tools.js';
export { workspacePack } from './workspace/workspace-pack.js';
