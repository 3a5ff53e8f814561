/** The content does not have the hash it was to be stored under. */
export class BlobMismatch extends Error {
  readonly code = 'BLOB_MISMATCH';
  override readonly name = 'BlobMismatch';

  constructor(
    readonly hash: string,
    readonly actual: string,
  ) {
    super(`a blob named ${hash} has content of SHA-256 ${actual}: hash the very bytes that are stored`);
  }
}

/** The stored content no longer has the hash it is stored under. */
export class BlobCorrupt extends Error {
  readonly code = 'BLOB_CORRUPT';
  override readonly name = 'BlobCorrupt';

  constructor(
    readonly hash: string,
    readonly actual: string,
  ) {
    super(`blob ${hash} in the database has content of SHA-256 ${actual}: it was altered, restore it from a backup`);
  }
}
