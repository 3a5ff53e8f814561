import { commandsSpec } from '@phaseline/pack-specs';
import type { Sandbox } from '@phaseline/sandbox';
import { implementPack, type ToolPack } from '@phaseline/tools';
import type { KeptFolders } from './folder/kept-folder.js';
import { createRunCommand } from './run-command.js';

export interface CommandsHost {
  /** The working folders in which commands run. */
  readonly folders: KeptFolders;
  readonly sandbox: Sandbox;
}

/** Creates the pack of the tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export function createCommandsPack(host: CommandsHost): ToolPack {
  return implementPack(commandsSpec, { run_command: createRunCommand(host) });
}
