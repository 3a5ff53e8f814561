/** Number of tests by how they ended. A skipped test did not run. */
export interface TestCounts {
  readonly ran: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One test of a report. */
export interface TestCase {
  readonly name: string;
  /** Name of what contains it, such as its class or file. */
  readonly suite?: string | undefined;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

/** What a report says. */
export interface Report {
  readonly tests?: TestCounts | undefined;
  /** At most `MAX_CASES`; the counts are complete. */
  readonly cases?: readonly TestCase[] | undefined;
  /** What a member of a JSON report that must be true is. */
  readonly isSuccess?: boolean | undefined;
}

/** Lines that a run covered. */
export interface Coverage {
  readonly coveredLines: number;
  readonly totalLines: number;
}

/** Maximum size in bytes of one report file, and of all files that one glob matches. */
export const MAX_REPORT_BYTES = 16 * 1024 * 1024;
/** Maximum number of tests whose names are kept. */
export const MAX_CASES = 10_000;
/** Maximum characters of the name of a test. */
const MAX_NAME_CHARACTERS = 300;

/** Thrown when a report does not have the form that its reader expects. The message is for the model. */
export class UnreadableReport extends Error {}

/** Whether a text is the path of a file that the run saw. */
export type IsFileName = (text: string) => boolean;

/**
 * Collects the tests of a report. Some programs report a file without tests as a test that passed, with the name of the file: these do not
 * count.
 */
export class CaseCollector {
  private readonly cases: TestCase[] = [];
  private readonly counts = { passed: 0, failed: 0, skipped: 0 };

  constructor(private readonly isFileName: IsFileName = () => false) {}

  add({ name, suite, outcome }: TestCase): void {
    if (outcome === 'passed' && this.isFileName(name)) return;
    this.counts[outcome] += 1;
    if (this.cases.length >= MAX_CASES) return;
    this.cases.push({ name: shortenName(name), ...(suite ? { suite: shortenName(suite) } : {}), outcome });
  }

  finish(): Required<Pick<Report, 'tests' | 'cases'>> {
    const { passed, failed, skipped } = this.counts;
    return { tests: { ran: passed + failed, passed, failed, skipped }, cases: this.cases };
  }
}

/** Writes the name of a test or suite as a report has it. */
export function shortenName(name: string): string {
  return name.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME_CHARACTERS);
}

/** Adds the counts of several reports, such as one per package. */
export function mergeReports(reports: readonly Report[]): Report {
  const collector = new CaseCollector();
  for (const { cases = [] } of reports) for (const one of cases) collector.add(one);
  const sum = (key: keyof TestCounts): number =>
    reports.reduce((total, { tests }) => total + (tests ? tests[key] : 0), 0);
  return {
    tests: { ran: sum('ran'), passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') },
    cases: collector.finish().cases,
  };
}
