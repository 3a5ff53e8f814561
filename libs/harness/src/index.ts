export { generateLog } from './generated/generate-log.js';
export { appendLongJob } from './generated/long-job.js';
export { percentile } from './percentile.js';
export { renderMarkdownTable } from './markdown-table.js';
export { randomFrom, SeededRandom } from '@phaseline/testing';
export { parseCommandLine, parseChoice, exitWithUsageError, parseWholeNumber } from './command-line.js';
export { Engine, toChatAnswer, defaultWorkflow } from './engine/engine.js';
export type { Policy, Reply } from './engine/engine.js';
export { openStore } from './engine/open-store.js';
export type { OpenStore } from './engine/open-store.js';
export {
  call,
  calls,
  COMPLETE_JOB,
  DO_THE_TODO,
  PLAN_ONE_TODO,
  createThreePhasePolicy,
  parsePrompt,
} from './engine/scripts.js';
export { doPlanningTodo } from './engine/planning-todo.js';
export { WireServer } from './engine/wire-server.js';
export { loadHistory } from './histories/history.js';
export { handleDelivery } from './memory/handle-delivery.js';
export type { DeliveryHandler } from './memory/handle-delivery.js';
export { ALL_CHECKS, MemoryLog } from '@phaseline/memory-log';
export type { LogChecks } from '@phaseline/memory-log';
export { MemoryProcesses } from './memory/memory-processes.js';
export { MemoryQueues } from './memory/memory-queues.js';
export type { Delivery, Payload, QueueWorker } from './memory/memory-queues.js';
export { Chance } from './chance.js';
export { toSampleSeed } from './sample-seed.js';
export type { Roll } from './chance.js';
export type { EngineOptions } from './engine/engine.js';
export type { ResponseFault, WireServerOptions } from './engine/wire-server.js';
export { describeServices } from './deployed/describe-services.js';
export { startDeployedStack } from './deployed/start-deployed-stack.js';
export type { DeployedStack } from './deployed/start-deployed-stack.js';
