export { noteIgnoredArguments } from './arguments/note-ignored-arguments.js';
export { clipResult } from './clip-result.js';
export { storeLongResult } from './store-long-result.js';
export type { StoredResult, ResultDestination } from './store-long-result.js';
export { fillReferences, maskSecrets } from './environment/fill-references.js';
export type { FilledValues } from './environment/fill-references.js';
export { resolveCollection, requireHost, withDatabase, type Database, type PackHost } from './pack-host.js';
export type {
  DynamicTools,
  InlineTool,
  InlineToolContext,
  InlineToolOutcome,
  RemoteToolContext,
  RemoteTool,
  Tool,
  ToolAdjustment,
  ToolOutcome,
  ToolPack,
} from './tool.js';
export { defineInlineTool, defineRemoteTool } from './tool.js';
export { ToolRegistry } from './tool-registry.js';
