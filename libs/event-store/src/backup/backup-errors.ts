import { CodedError } from '@phaseline/basics';

/** The folder cannot be used: it is not empty, or does not contain a valid backup. Nothing was written. */
export class BackupUnusable extends CodedError {
  readonly code = 'backup_unusable';
}

/** The database is not in a state in which a backup can be restored into it. Nothing was restored. */
export class RestoreRefused extends CodedError {
  readonly code = 'restore_refused';
}
