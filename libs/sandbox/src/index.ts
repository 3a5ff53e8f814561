export { findProgram, buildSearchPath } from './process/find-program.js';
export { runProcess } from './process/run-process.js';
export type { ProcessResult } from './process/run-process.js';
export { runInThread } from './script/run-in-thread.js';
export type { ScriptCallResult, ScriptCall, ScriptLimits, ScriptOutcome } from './script/script-run.js';
export { isAddressAllowed, parseNetworks } from './request/addresses.js';
export { checkUrl, sendGuardedRequest } from './request/guarded-request.js';
export type { AddressRule, GuardedRequest, Resolve } from './request/guarded-request.js';
