export { deniesOnFailure } from './protocol/hook-event.js';
export type { CommandHandler, HookHandler } from './settings/hook-handler.js';
export { importFiles, settingsFiles, type ImportedSet } from './set/import-files.js';
export type { GuardSetFile } from './set/guard-set.js';
export { readGuardFiles } from './set/read-guard-files.js';
export { mayFire } from './settings/may-fire.js';
