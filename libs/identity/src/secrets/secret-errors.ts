import { CodedError } from '@phaseline/basics';

/** The tenant has no such secret, or none that the agent may use. */
export class SecretMissing extends CodedError {
  readonly code = 'secret_missing';

  constructor(
    readonly tenant: string,
    readonly secret: string,
    agent: string | undefined,
  ) {
    // A secret of another agent looks like one that does not exist.
    super(`tenant ${tenant} has no secret ${secret}${agent === undefined ? '' : ` that the agent ${agent} may use`}`);
  }
}

/** The value cannot be a secret. */
export class SecretInvalid extends CodedError {
  readonly code = 'secret_invalid';
}

/** The process has no master key, so that it can neither store nor read secrets. */
export class SecretsUnavailable extends CodedError {
  readonly code = 'secrets_unavailable';

  constructor(cause: string) {
    super(`${cause}: set PHASELINE_MASTER_KEY_FILE, the same in every service`);
  }
}
