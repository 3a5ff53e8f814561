/** A sealed job cannot be worked with here, because no master key was configured, or not the one that wrapped its key. */
export class MasterKeyMissing extends Error {
  readonly code = 'MASTER_KEY_MISSING';
  override readonly name = 'MasterKeyMissing';

  constructor(
    readonly correlationId: string,
    /** The one that would be needed, where that is known. */
    readonly masterKeyId?: string,
  ) {
    super(
      masterKeyId === undefined
        ? `job ${correlationId} is encrypted and this process has no master key: set PHASELINE_MASTER_KEY_FILE, the same in every service`
        : `the key of job ${correlationId} is wrapped with the master key ${masterKeyId}, which this process does not have: add it to PHASELINE_MASTER_KEY_FILE, behind the newest one`,
    );
  }
}

/** The configured text is no list of master keys. */
export class MasterKeyInvalid extends Error {
  readonly code = 'MASTER_KEY_INVALID';
  override readonly name = 'MasterKeyInvalid';
}

/** The key of the job was destroyed: what it held can never be read again, and nothing can be added to it. */
export class ContentErased extends Error {
  readonly code = 'CONTENT_ERASED';
  override readonly name = 'ContentErased';

  constructor(readonly correlationId: string) {
    super(`the content of job ${correlationId} was erased; nothing can be added to it, and nothing be read`);
  }
}

/** What is stored does not open with the key of its job: it was damaged, changed, or moved from another place. */
export class SealBroken extends Error {
  readonly code = 'SEAL_BROKEN';
  override readonly name = 'SealBroken';

  constructor(what: string, options?: ErrorOptions) {
    super(
      `${what} does not open with the key of its job: it was damaged or moved. Check the log: phaseline audit verify`,
      options,
    );
  }
}
