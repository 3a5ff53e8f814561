/** The content does not match the hash it was to be stored under. */
export class BlobMismatch extends Error {
  readonly code = 'blob_mismatch';
  override readonly name = 'BlobMismatch';

  constructor(
    readonly hash: string,
    readonly actual: string,
  ) {
    super(
      `blob ${hash} has content with the hash ${actual}: compute the hash of the exact bytes to store (contentHash)`,
    );
  }
}

/** The stored content does not match the hash it is stored under. */
export class BlobCorrupt extends Error {
  readonly code = 'blob_corrupt';
  override readonly name = 'BlobCorrupt';

  constructor(
    readonly hash: string,
    readonly actual: string,
  ) {
    super(`blob ${hash} in the database has content with the hash ${actual}: it was altered, restore it from a backup`);
  }
}

/** The blob is not stored although something refers to it: the database was damaged. */
export class BlobNotStored extends Error {
  readonly code = 'blob_not_stored';
  override readonly name = 'BlobNotStored';

  constructor(readonly hash: string) {
    super(`blob ${hash} is not in the database: restore it from a backup`);
  }
}
