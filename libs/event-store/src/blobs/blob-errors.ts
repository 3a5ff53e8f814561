/** The content does not have the hash it was to be stored under. */
export class BlobMismatch extends Error {
  readonly code = 'BLOB_MISMATCH';
  override readonly name = 'BlobMismatch';

  constructor(
    readonly hash: string,
    readonly actual: string,
  ) {
    super(`a blob named ${hash} has content named ${actual}: name the very bytes that are stored (contentHash)`);
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
    super(`blob ${hash} in the database has content named ${actual}: it was altered, restore it from a backup`);
  }
}

/** A stream was longer than allowed. Nothing refers to what was stored of it. */
export class BlobTooLarge extends Error {
  readonly code = 'BLOB_TOO_LARGE';
  override readonly name = 'BlobTooLarge';

  constructor(readonly maxBytes: number) {
    super(`the stream is longer than ${maxBytes} bytes`);
  }
}

/** There is no blob of that name, although something refers to it: the database was damaged. */
export class BlobNotStored extends Error {
  readonly code = 'BLOB_NOT_STORED';
  override readonly name = 'BlobNotStored';

  constructor(readonly hash: string) {
    super(`there is no blob ${hash} in the database: restore it from a backup`);
  }
}
