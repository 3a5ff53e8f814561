export { withIgnored } from './arguments/with-ignored.js';
export { clipResult } from './clip-result.js';
export { keepResult } from './keep-result.js';
export type { KeptResult, ResultPlace } from './keep-result.js';
export { fillReferences, withoutSecrets } from './environment/fill-references.js';
export type { FilledValues } from './environment/fill-references.js';
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
export { ToolRegistry } from './tool-registry.js';
