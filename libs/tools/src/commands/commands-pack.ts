import type { ToolPack } from '../tool.js';
import { runCommand } from './run-command.js';

/** Tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export const commandsPack: ToolPack = { name: 'commands', tools: [runCommand] };
