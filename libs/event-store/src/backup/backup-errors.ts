/** The folder cannot be used: it is not empty, or does not contain a valid backup. Nothing was written. */
export class BackupUnusable extends Error {
  readonly code = 'backup_unusable';
  override readonly name = 'BackupUnusable';
}

/** The database is not in a state in which a backup can be restored into it. Nothing was restored. */
export class RestoreRefused extends Error {
  readonly code = 'restore_refused';
  override readonly name = 'RestoreRefused';
}
