import { CodedError } from '@phaseline/basics';

/** The content does not match the hash it was to be stored under. */
export class BlobMismatch extends CodedError {
  readonly code = 'blob_mismatch';

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
export class BlobCorrupt extends CodedError {
  readonly code = 'blob_corrupt';

  constructor(
    readonly hash: string,
    readonly actual: string,
  ) {
    super(`blob ${hash} in the database has content with the hash ${actual}: it was altered, restore it from a backup`);
  }
}

/** The blob is not stored although something refers to it: the database was damaged. */
export class BlobNotStored extends CodedError {
  readonly code = 'blob_not_stored';

  constructor(readonly hash: string) {
    super(`blob ${hash} is not in the database: restore it from a backup`);
  }
}
