import type { StoredContent } from './file-change.js';

/**
 * Maximum number of files that are read with one query, and of their bytes. While the result of a query is read, it takes several times
 * as much memory as the content.
 */
const MAX_BATCH_FILES = 256;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** Maximum size in bytes of a file that is read together with others. Larger files are stored, and read, in pieces. */
const MAX_BATCHED_FILE_BYTES = 1024 * 1024;

/** Files that are read with one query, or one file that has to be read in pieces because it is too large. */
export type FileBatch<File> = { readonly files: readonly File[] } | { readonly large: File };

/** Splits files into batches whose contents fit in memory together. */
export function* splitIntoBatches<File extends StoredContent>(files: Iterable<File>): Generator<FileBatch<File>> {
  let batch: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (file.size > MAX_BATCHED_FILE_BYTES) {
      yield { large: file };
      continue;
    }
    if (batch.length === MAX_BATCH_FILES || bytes + file.size > MAX_BATCH_BYTES) {
      yield { files: batch };
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.size;
  }
  if (batch.length > 0) yield { files: batch };
}
