export { importSettings } from './settings/import-settings.js';
export type { ImportedSettings, ImportNote } from './settings/import-settings.js';
export type { CommandHandler, HookHandler, JudgeHandler } from './settings/hook-handler.js';
export { computeGuardSetVersion, type GuardSetFile } from './set/guard-set.js';
export type { HookOccasion } from './input/build-input.js';
export type { HookDecision } from './result/to-guard-decision.js';
