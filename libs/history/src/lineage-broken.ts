/** A fork names an event of its parent that is not in the log as it was then: one of the two was tampered with. */
export class LineageBroken extends Error {
  override readonly name = 'LineageBroken';
  readonly code = 'lineage_broken';
  constructor(
    readonly streamId: string,
    readonly parentStreamId: string,
    readonly version: number,
  ) {
    super(
      `${streamId} goes on from event ${version} of ${parentStreamId}, and the log has another event there, or none. ` +
        'Check the log with `phaseline audit verify`.',
    );
  }
}
