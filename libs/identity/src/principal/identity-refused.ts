import { CodedError } from '@phaseline/basics';

export type IdentityRefusal =
  | 'principal_not_found'
  | 'key_not_found'
  | 'principal_exists'
  | 'principal_disabled'
  | 'identity_taken'
  | 'request_refused'
  | 'forbidden';

/** Thrown for a change of principals or keys that is not possible. The message is for the person who asked for it. */
export class IdentityRefused extends CodedError {
  constructor(
    readonly code: IdentityRefusal,
    message: string,
  ) {
    super(message);
  }
}
