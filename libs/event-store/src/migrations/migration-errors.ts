import { CodedError } from '@phaseline/basics';

/** An applied migration was edited. Databases that ran the old file would differ from new ones, so no migration is run. */
export class MigrationChanged extends CodedError {
  readonly code = 'migration_changed';

  constructor(readonly migration: string) {
    super(
      `Migration ${migration} was edited after it had been applied to this database. ` +
        'Restore the original file, and add the change as a new migration with the next number.',
    );
  }
}

/** The SQL of a migration failed. Its transaction was rolled back; earlier migrations stay applied. */
export class MigrationFailed extends CodedError {
  readonly code = 'migration_failed';

  constructor(
    readonly migration: string,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Migration ${migration} failed and was rolled back: ${reason}. Fix the cause and run the migrations again.`, {
      cause,
    });
  }
}

/** The folder has no migrations, a file with an invalid name, or two files with the same number. */
export class MigrationFolderInvalid extends CodedError {
  readonly code = 'migration_folder_invalid';

  constructor(
    readonly directory: string,
    problem: string,
  ) {
    super(`The migrations folder ${directory} ${problem}`);
  }
}
