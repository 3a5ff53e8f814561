/** Somebody is rebuilding at this moment. */
export class RebuildUnderWay extends Error {
  readonly code = 'REBUILD_UNDER_WAY';
  override readonly name = 'RebuildUnderWay';

  constructor(building: readonly string[], since: Date | undefined) {
    const what = building.length > 0 ? ` of ${building.join(', ')}` : '';
    const when = since ? ` since ${since.toISOString()}` : '';
    super(
      `a rebuild${what} is under way${when}: wait until it has ended, or end its process; what it left is then cleared`,
    );
  }
}

/** A read model was named that there is none of. */
export class UnknownReadModel extends Error {
  readonly code = 'UNKNOWN_READ_MODEL';
  override readonly name = 'UnknownReadModel';

  constructor(
    readonly model: string,
    known: readonly string[],
  ) {
    super(`there is no read model ${model}; there are ${known.join(', ')}`);
  }
}
