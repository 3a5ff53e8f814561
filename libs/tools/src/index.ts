export { clipResult } from './clip-result.js';
export { documentsPack } from './documents/index.js';
export type {
  LogTool,
  LogToolContext,
  LogToolOutcome,
  RunnerContext,
  RunnerTool,
  Tool,
  ToolOutcome,
  ToolPack,
} from './tool.js';
export { logTool, runnerTool } from './tool.js';
export { ToolError } from './tool-error.js';
export { ToolRegistry } from './tool-registry.js';
export { todosPack } from './todos/todo-tools.js';
export { workspacePack } from './workspace/workspace-pack.js';
