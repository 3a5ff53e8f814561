import { CodedError } from '@phaseline/basics';

/** Jobs are due for cold storage, and this process cannot move them. Nothing was moved. */
export class ColdMoveImpossible extends CodedError {
  readonly code = 'cold_move_impossible';

  constructor(reason: string) {
    super(`jobs are due for cold storage, but this process cannot move them: ${reason}`);
  }
}
