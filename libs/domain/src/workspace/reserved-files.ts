import { ERRORS_DIRECTORY } from '../agent/tool-failures.js';
import { RESULTS_DIRECTORY } from '../tool-call/stored-result.js';
import { ARCHIVE_DIRECTORY } from '../todo/todo-archive.js';

/** Directory of fetched web sources, which citations refer to. */
export const SOURCES_DIRECTORY = 'sources';

/** Directories that only the system writes. They are evidence of what the job did. */
const RESERVED_DIRECTORIES = [ARCHIVE_DIRECTORY, SOURCES_DIRECTORY, RESULTS_DIRECTORY, ERRORS_DIRECTORY];

/** Returns why neither agents nor people may change a file, or undefined when they may. */
export function getReservedReason(path: string): string | undefined {
  const folder = RESERVED_DIRECTORIES.find((one) => path === one || path.startsWith(`${one}/`));
  return folder === undefined ? undefined : `${folder}/ is managed by the system and cannot be changed.`;
}
