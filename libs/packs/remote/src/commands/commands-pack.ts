import { commandsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { createRunCommand, type CommandsHost } from './run-command.js';

/** Creates the pack of the tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export function createCommandsPack(host: CommandsHost): ToolPack {
  return implementPack(commandsSpec, { run_command: createRunCommand(host) });
}
