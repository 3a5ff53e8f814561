export { findProgram, searchPath } from './process/find-program.js';
export { runProcess } from './process/run-process.js';
export type { ProcessEnd } from './process/run-process.js';
export { runInThread } from './script/run-in-thread.js';
export type { ScriptAnswer, ScriptAsk, ScriptLimits, ScriptOutcome } from './script/script-run.js';
export { networks } from './request/addresses.js';
export { checkUrl, guardedRequest } from './request/guarded-request.js';
export type { AddressRule, GuardedRequest, Resolve } from './request/guarded-request.js';
