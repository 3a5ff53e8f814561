/** What the log in memory checks; all of it, unless a mutation says otherwise. */
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
