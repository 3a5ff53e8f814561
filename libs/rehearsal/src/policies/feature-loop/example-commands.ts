import type { RehearsalCall } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import { call, filterCalls } from '../scene.js';

/** Folder of the example in the workspace. */
export const REPOSITORY = 'repository';

/** Runs the tests of the example. */
export const RUN_TESTS = run('node', ['--test']);

/** Runs a program in the folder of the example. */
export function run(program: string, args: readonly string[], stdin?: string): RehearsalCall {
  return call('run_command', { program, args: [...args], cwd: REPOSITORY, ...(stdin === undefined ? {} : { stdin }) });
}

/**
 * Returns the commands of some calls without those whose outcome is unknown, because their process died. Such a command is run again: what it
 * had changed in the workspace was undone.
 */
export function listEndedCommands(calls: readonly PastCall[]): readonly PastCall[] {
  return filterCalls(calls, 'run_command').filter(({ result }) => !result.includes('The outcome is unknown'));
}

/** Whether a command ended without an error. */
export function hasSucceeded({ result }: PastCall): boolean {
  return /^Exit code 0 /.test(result);
}

/** Whether a past call is this one. */
export function isSameCall(
  { name, arguments: made }: PastCall,
  { name: wanted, arguments: args }: RehearsalCall,
): boolean {
  return name === wanted && JSON.stringify(made) === JSON.stringify(args);
}
