import type { ToolPack } from '@phaseline/tools';
import { fileExists, listFiles } from './list-tools.js';
import { readFile } from './read-file.js';
import { searchFiles } from './search-files.js';
import { appendFile, deleteFile, editFile, writeFile } from './write-tools.js';

/** Tools for the files of the job. All are `log` tools, so each call is committed with the model response that requested it. */
export const workspacePack: ToolPack = {
  name: 'workspace',
  tools: [readFile, writeFile, appendFile, editFile, listFiles, searchFiles, fileExists, deleteFile],
};
