/** The folder is no backup that can be restored as it is. Nothing was written. */
export class BackupUnusable extends Error {
  readonly code = 'BACKUP_UNUSABLE';
  override readonly name = 'BackupUnusable';
}

/** The database cannot take a backup as it is. Nothing was restored. */
export class RestoreRefused extends Error {
  readonly code = 'RESTORE_REFUSED';
  override readonly name = 'RestoreRefused';
}
