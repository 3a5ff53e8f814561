export type { HookOccasion } from './input/build-input.js';
export { GuardSetFolders } from './run/guard-set-folders.js';
export { runCommandGuards, type CommandGuardDecision } from './run/run-command-guards.js';
