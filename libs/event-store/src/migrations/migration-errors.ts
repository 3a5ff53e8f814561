/** A migration that has already run was edited afterwards. Databases that ran the old text and new ones would differ, so nothing is run. */
export class MigrationChanged extends Error {
  readonly code = 'MIGRATION_CHANGED';
  override readonly name = 'MigrationChanged';

  constructor(readonly migration: string) {
    super(
      `Migration ${migration} was edited after it had been applied to this database. ` +
        'Put the file back as it was and write the change as a new migration with the next number.',
    );
  }
}

/** A file's SQL failed. Its transaction is rolled back; the files before it stay applied. */
export class MigrationFailed extends Error {
  readonly code = 'MIGRATION_FAILED';
  override readonly name = 'MigrationFailed';

  constructor(
    readonly migration: string,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Migration ${migration} failed and was rolled back: ${reason}. Mend the cause and run the migrations again.`,
      { cause },
    );
  }
}

/** The folder holds no migrations, or a file whose name is not `000001_name.sql`, or two files with one number. */
export class MigrationFolderInvalid extends Error {
  readonly code = 'MIGRATION_FOLDER_INVALID';
  override readonly name = 'MigrationFolderInvalid';

  constructor(
    readonly directory: string,
    problem: string,
  ) {
    super(`The migrations folder ${directory} ${problem}`);
  }
}
