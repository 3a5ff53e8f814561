export type { BlobWrite } from '@phaseline/event-store';
export { readClaimTexts } from './read-claim-texts.js';
export { contentHash } from '@phaseline/event-store';
export { splitIntoBatches } from './batches.js';
export { CachedBlobs } from './cached-blobs.js';
export type { FileChange, FileEntry, StoredContent, Tree, WorkspaceReader } from './file-change.js';
export { Mirror } from './mirror.js';
export {
  BlobMissing,
  getJobBlobs,
  precomputeHash,
  MAX_FILE_BYTES,
  getContentHash,
  sha256,
  StagedWorkspace,
} from './staged-workspace.js';
export type { BlobReader } from './staged-workspace.js';
export { InvalidPath, normaliseFolder, normaliseNewPath, normalisePath } from './workspace-path.js';
export { encodeText } from './encode-text.js';
export { hashText } from './hash-text.js';
export { readTextByHash, toText } from './text-by-hash.js';
export { requireFile, readText } from './file-text.js';
export { encodeInSlices, findOccurrences } from './large-text.js';
export { SOURCES_DIRECTORY } from '@phaseline/domain';
export { getReadOnlyReason } from './read-only.js';
export { decodeInSlices } from './large-text.js';
export { claimAbandonedFolders, claimFolder, type ClaimedFolder } from './claim-folder.js';
export { leavesWorkspace, removeDiskFile } from './disk-paths.js';
