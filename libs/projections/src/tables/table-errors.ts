import { CodedError } from '@phaseline/basics';
import type { ReadModelName } from '../models/read-model.js';

/** Thrown when the tables were filled by an older release. The orchestrator rebuilds them when it starts. */
export class ReadModelsBehind extends CodedError {
  readonly code = 'read_models_behind';

  constructor(
    readonly model: ReadModelName,
    readonly stored: number,
    readonly wanted: number,
  ) {
    super(
      `read model ${model} was built by an older release (revision ${stored}, this one has ${wanted}): run \`phaseline projections rebuild\`, or wait for the orchestrator, which does it when it starts`,
    );
  }
}

/** Thrown when the tables were filled by a newer release. This one must not write to them. */
export class ReadModelsAhead extends CodedError {
  readonly code = 'read_models_ahead';

  constructor(
    readonly model: ReadModelName,
    readonly stored: number,
    readonly known: number,
  ) {
    super(
      `read model ${model} was built by a newer release (revision ${stored}, this one has ${known}): stop this release, or upgrade to the newer one`,
    );
  }
}
