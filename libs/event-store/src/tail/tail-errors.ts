/** Another replica has taken the partition over, so what was done for it is not committed. Nothing is lost: the new owner does it. */
export class LeaseLost extends Error {
  readonly code = 'LEASE_LOST';
  override readonly name = 'LeaseLost';

  constructor(
    readonly subscription: string,
    readonly partition: number,
  ) {
    super(`partition ${partition} of subscription ${subscription} now belongs to another replica`);
  }
}

/** The subscription is being run with another number of partitions at this moment. */
export class PartitionsDiffer extends Error {
  readonly code = 'PARTITIONS_DIFFER';
  override readonly name = 'PartitionsDiffer';

  constructor(
    readonly subscription: string,
    readonly wanted: number,
    readonly actual: number,
  ) {
    super(
      `subscription ${subscription} is being run with ${actual} partitions, not ${wanted}: stop its other replicas, then start with the new number`,
    );
  }
}
