import { RunFailed } from './run-failed.js';

/** Runs a scenario and prints its report, or on stderr why there is none. Returns whether it completed. */
export async function printReport<Report>(
  asJson: boolean,
  run: () => Promise<Report>,
  render: (report: Report) => string,
): Promise<boolean> {
  try {
    const report = await run();
    process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : render(report));
    return true;
  } catch (error) {
    if (!(error instanceof RunFailed)) throw error;
    process.stderr.write(`The run failed: ${error.message}\n`);
    return false;
  }
}

/** Prints a line of progress with the time. */
export function noteOnStderr(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
}
