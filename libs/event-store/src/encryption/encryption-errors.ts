import { CodedError } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';

/** An encrypted job cannot be read or written, because no master key is configured, or not the one that wrapped the key of the job. */
export class MasterKeyMissing extends CodedError {
  readonly code = 'master_key_missing';

  constructor(
    readonly correlationId: JobId,
    /** Id of the required master key, if known. */
    readonly masterKeyId?: string,
  ) {
    super(
      masterKeyId === undefined
        ? `job ${correlationId} is encrypted and this process has no master key: set PHASELINE_MASTER_KEY_FILE, the same in every service`
        : `the key of job ${correlationId} is wrapped with the master key ${masterKeyId}, which this process does not have: add it to PHASELINE_MASTER_KEY_FILE after the newest one`,
    );
  }
}

/** The configured text is not a valid list of master keys. */
export class MasterKeyInvalid extends CodedError {
  readonly code = 'master_key_invalid';
}

/** The key of the job was destroyed: its content can never be read again, and nothing can be added. */
export class ContentErased extends CodedError {
  readonly code = 'content_erased';

  constructor(readonly correlationId: JobId) {
    super(`the content of job ${correlationId} was erased: it can no longer be read or added to`);
  }
}

/** Stored content cannot be decrypted with the key of its job: it was damaged, changed, or moved from another place. */
export class DecryptionFailed extends CodedError {
  readonly code = 'decryption_failed';

  constructor(subject: string) {
    super(
      `${subject} cannot be decrypted with the key of its job: it was damaged or moved. Check the log: phaseline audit verify`,
    );
  }
}
