import { countsTests, type VerifierReads } from '@phaseline/contracts';
import type { Report } from './report.js';

/** Maximum characters of a reason: the model reads it in place of the output. */
const MAX_REASON_CHARACTERS = 500;
/** Number of failed tests that a reason names. */
const MAX_NAMED_TESTS = 3;

export type VerifierOutcome = 'passed' | 'failed' | 'error';

/** How the command of a verifier ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal?: string | null;
  readonly stoppedBy?: { readonly limit: string; readonly value: number; readonly unit: string } | undefined;
}

export interface Decided {
  readonly outcome: VerifierOutcome;
  readonly reason: string;
}

/**
 * Decides how a verifier ended. `report` is what its report says, or why the report cannot be read. The reason is written for the model and
 * contains no output.
 */
export function decideOutcome(
  end: CommandEnd,
  report: Report | { readonly unreadable: string },
  reads: VerifierReads,
  minTests: number,
): Decided {
  const failed = (reason: string): Decided => ({ outcome: 'failed', reason: shortenReason(reason) });
  if (end.stoppedBy) return failed(describeCommandEnd(end));
  if ('unreadable' in report) return failed(`${report.unreadable} ${describeCommandEnd(end)}`);
  const { tests, isSuccess } = report;
  if (tests && tests.failed > 0) return failed(`${tests.failed} of ${tests.ran} tests failed${nameFailed(report)}.`);
  if (countsTests(reads) && (tests?.ran ?? 0) < minTests) {
    const skipped = tests && tests.skipped > 0 ? ` and ${tests.skipped} were skipped` : '';
    return failed(`${tests?.ran ?? 0} tests ran${skipped}; at least ${minTests} must run.`);
  }
  if (isSuccess === false) return failed('Its report does not say that it succeeded.');
  if (end.exitCode !== 0)
    return failed(tests ? `The tests that ran passed. ${describeCommandEnd(end)}` : describeCommandEnd(end));
  return { outcome: 'passed', reason: tests ? describePassed(tests) : 'The command ended with exit code 0.' };
}

/** Whether the command ended by itself, and its report names all tests that it counts. */
export function isComplete({ exitCode, stoppedBy }: CommandEnd, { tests, cases }: Report): boolean {
  return (
    !stoppedBy && exitCode !== null && cases !== undefined && cases.length === (tests?.ran ?? 0) + (tests?.skipped ?? 0)
  );
}

/** Cuts a reason to its maximum length and puts it on one line. */
export function shortenReason(reason: string): string {
  const line = reason.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_REASON_CHARACTERS ? line : `${line.slice(0, MAX_REASON_CHARACTERS - 1)}…`;
}

/** Says in one sentence how a command ended. */
export function describeCommandEnd({ exitCode, signal, stoppedBy }: CommandEnd): string {
  if (stoppedBy)
    return `It was stopped, because it exceeded its ${stoppedBy.limit} limit (${stoppedBy.value} ${stoppedBy.unit}).`;
  return exitCode === null
    ? `The command was ended by ${signal ? `the signal ${signal}` : 'the system'}.`
    : `The command ended with exit code ${exitCode}.`;
}

function nameFailed({ cases = [] }: Report): string {
  const names = cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name.slice(0, 80));
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMED_TESTS ? ` and ${names.length - MAX_NAMED_TESTS} more` : '';
  return `: ${names.slice(0, MAX_NAMED_TESTS).join('; ')}${more}`;
}

function describePassed({ passed, skipped }: { readonly passed: number; readonly skipped: number }): string {
  const skippedPart = skipped > 0 ? `, ${skipped} ${skipped === 1 ? 'was' : 'were'} skipped` : '';
  return `${passed} ${passed === 1 ? 'test' : 'tests'} passed${skippedPart}.`;
}
