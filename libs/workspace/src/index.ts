export { contentHash } from '@phaseline/event-store';
export { CachedBlobs } from './cached-blobs.js';
export type { ByteRange, FileChange, FileEntry, Tree, WorkspaceReader } from './file-change.js';
export { Mirror, MirrorFailed, mirrorFolder } from './mirror.js';
export {
  BlobMissing,
  blobsOf,
  hashAhead,
  MAX_FILE_BYTES,
  nameOf,
  sha256,
  StagedWorkspace,
} from './staged-workspace.js';
export type { BlobReader } from './staged-workspace.js';
export { InvalidPath, newWorkspacePath, workspaceFolder, workspacePath } from './workspace-path.js';
export { encodeText, fileEntry, readText } from './file-text.js';
export { encodeInTurns, occurrencesOf } from './large-text.js';
export { SOURCES_DIRECTORY, readOnlyReason } from './read-only.js';
export { decodeInTurns } from './large-text.js';
