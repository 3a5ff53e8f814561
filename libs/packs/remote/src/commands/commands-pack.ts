import type { ToolPack } from '@phaseline/tools';
import { runCommand } from './run-command.js';

/** Tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export const commandsPack: ToolPack = { name: 'commands', tools: [runCommand] };
