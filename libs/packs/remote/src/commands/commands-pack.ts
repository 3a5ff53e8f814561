import { commandsSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { runCommand } from './run-command.js';

/** Tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export const commandsPack = implementPack(commandsSpec, { run_command: runCommand });
