import { CodedError } from '@phaseline/basics';

/** Another replica has taken over the partition, so the page was not committed. Nothing is lost: the new lease owner handles it again. */
export class LeaseLost extends CodedError {
  readonly code = 'lease_lost';

  constructor(
    readonly subscription: string,
    readonly partition: number,
  ) {
    super(`partition ${partition} of subscription ${subscription} now belongs to another replica`);
  }
}

/** Other replicas of the subscription are running with a different number of partitions. */
export class PartitionsDiffer extends CodedError {
  readonly code = 'partitions_differ';

  constructor(
    readonly subscription: string,
    readonly wanted: number,
    readonly actual: number,
  ) {
    super(
      `subscription ${subscription} is running with ${actual} partitions, not ${wanted}: stop its other replicas, then start with the new number`,
    );
  }
}
