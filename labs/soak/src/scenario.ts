/** A scenario of the lab. */
export interface Scenario {
  /** One line for the list of scenarios. */
  readonly summary: string;
  /**
   * Parses its own options, runs, and prints its report. Returns whether every check passed.
   *
   * @param args command line without the name of the scenario
   */
  readonly run: (args: readonly string[]) => Promise<boolean>;
}
