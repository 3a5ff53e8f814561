import type { ToolPack } from '../tool.js';
import { fileExists, listFiles } from './list-tools.js';
import { readFile } from './read-file.js';
import { searchFiles } from './search-files.js';
import { appendFile, deleteFile, editFile, writeFile } from './write-tools.js';

/** The files of the job: all of it in the log, so every call is committed with the answer that asked for it. */
export const workspacePack: ToolPack = {
  name: 'workspace',
  tools: [readFile, writeFile, appendFile, editFile, listFiles, searchFiles, fileExists, deleteFile],
};
