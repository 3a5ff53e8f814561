import { CodedError } from '@phaseline/basics';

/** The events are in cold storage, and this process was not told where that is. */
export class ColdStorageNotConfigured extends CodedError {
  readonly code = 'cold_storage_not_configured';

  constructor(readonly archive: string) {
    super(
      `the events are in cold storage, in the archive ${archive}: set PHASELINE_COLD_STORAGE of this process to the storage that contains it`,
    );
  }
}

/** The storage does not contain an archive whose events were dropped from the log. */
export class ArchiveMissing extends CodedError {
  readonly code = 'archive_missing';

  constructor(
    readonly archive: string,
    location: string,
  ) {
    super(`${location} does not contain the archive ${archive}: restore it from a backup of the cold storage`);
  }
}

/** The content of an archive is not what was moved. */
export class ArchiveAltered extends CodedError {
  readonly code = 'archive_altered';

  constructor(
    readonly archive: string,
    location: string,
    detail: string,
  ) {
    super(`the archive ${archive} in ${location} was altered, restore it from a backup of the cold storage: ${detail}`);
  }
}

/** The storage did not answer, or refused a request. */
export class ColdStorageUnavailable extends CodedError {
  readonly code = 'cold_storage_unavailable';

  constructor(
    readonly archive: string,
    location: string,
    detail: string,
    cause?: unknown,
  ) {
    super(`${location} could not store or return the archive ${archive}: ${detail}`, { cause });
  }
}

/** PHASELINE_COLD_STORAGE names no storage, or a setting of it is missing. */
export class ColdStorageInvalid extends CodedError {
  readonly code = 'cold_storage_invalid';
}

/** Whether events cannot be read because of their archive: it is missing, altered, or this process does not know where it is. */
export function isArchiveUnreadable(error: unknown): error is Error {
  return (
    error instanceof ArchiveMissing || error instanceof ArchiveAltered || error instanceof ColdStorageNotConfigured
  );
}
