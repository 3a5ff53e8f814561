import { CodedError } from '@phaseline/basics';

/** There is no such stored guard, or it has no such version. */
export class StoredGuardMissing extends CodedError {
  readonly code = 'guard_missing';

  constructor(
    readonly guard: string,
    what = 'there is no such guard here',
  ) {
    super(`${guard}: ${what}`);
  }
}

/** The stages or authors of a guard do not allow the change. */
export class GuardChangeRefused extends CodedError {
  readonly code = 'guard_change_refused';
}
