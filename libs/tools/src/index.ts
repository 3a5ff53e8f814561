export { noteIgnoredArguments } from './arguments/note-ignored-arguments.js';
export { implementPack } from './implement-pack.js';
export type { ToolInput, ToolRun } from './implement-pack.js';
export { narrowArgument } from './arguments/narrow-argument.js';
export { parseInput } from './arguments/parse-input.js';
export { parseOutcome } from './parse-outcome.js';
export { clipResult } from './clip-result.js';
export { storeLongResult } from './store-long-result.js';
export { CallSecrets, type ReadSecrets } from './secrets/call-secrets.js';
export { maskOutcome } from './secrets/mask-outcome.js';
export { resolveCollection, withDatabase, type Database, type PackHost } from './pack-host.js';
export type {
  DynamicTools,
  InlineTool,
  InlineToolContext,
  InlineToolOutcome,
  RemoteToolContext,
  RemoteTool,
  RemoteToolDefinition,
  Tool,
  ToolOutcome,
  ToolPack,
} from './tool.js';
export { defineRemoteTool } from './tool.js';
export { ToolRegistry } from './tool-registry.js';
export { noteGuards } from './arguments/note-guards.js';
export { noteAmendment } from './arguments/note-amendment.js';
export { parseAmended } from './arguments/parse-amended.js';
