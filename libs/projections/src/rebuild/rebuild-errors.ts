import { CodedError } from '@phaseline/basics';

/** Thrown when another rebuild is running. */
export class RebuildRunning extends CodedError {
  readonly code = 'rebuild_running';

  constructor(building: readonly string[], since: Date | undefined) {
    const what = building.length > 0 ? ` of ${building.join(', ')}` : '';
    const when = since ? ` (started ${since.toISOString()})` : '';
    super(
      `a rebuild${what} is already running${when}: wait until it ends, or stop its process; the next rebuild drops what it left behind`,
    );
  }
}

/** Thrown when a requested read model does not exist. */
export class UnknownReadModel extends CodedError {
  readonly code = 'unknown_read_model';

  constructor(
    readonly model: string,
    known: readonly string[],
  ) {
    super(`there is no read model ${model}; there are ${known.join(', ')}`);
  }
}
