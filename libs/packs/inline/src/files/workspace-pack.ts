import { workspaceSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { fileExists, listFiles } from './list-tools.js';
import { readFile } from './read-file.js';
import { searchFiles } from './search-files.js';
import { appendFile, deleteFile, editFile, writeFile } from './write-tools.js';

/** Tools for the files of the job. All are `inline` tools, so each call is committed with the model response that requested it. */
export const workspacePack = implementPack(workspaceSpec, {
  read_file: readFile,
  write_file: writeFile,
  append_file: appendFile,
  edit_file: editFile,
  list_files: listFiles,
  search_files: searchFiles,
  file_exists: fileExists,
  delete_file: deleteFile,
});
