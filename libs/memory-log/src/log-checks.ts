/** Checks of the in-memory log; all of them unless a mutation disables some. */
export interface LogChecks {
  readonly expectedVersion: boolean;
  readonly closedStreams: boolean;
  readonly repeatedEventIds: boolean;
  readonly wholeUnits: boolean;
  readonly chain: boolean;
}

export const ALL_CHECKS: LogChecks = {
  expectedVersion: true,
  closedStreams: true,
  repeatedEventIds: true,
  wholeUnits: true,
  chain: true,
};
