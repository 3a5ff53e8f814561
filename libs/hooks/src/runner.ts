export { GuardSetFolders } from './run/guard-set-folders.js';
export { runCommandGuards } from './run/run-command-guards.js';
