import { z } from 'zod';

/** The part of the vitest JSON report that lists the tests and their status. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export type MutationOutcome =
  | { readonly kind: 'detected'; readonly failedTests: readonly string[] }
  | { readonly kind: 'survived' }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Judges a test run of mutated code by its JSON report. Only a failed test detects a mutation: a spec file that cannot be loaded, a failed
 * hook or a run without tests proves nothing about the tests.
 */
export function judgeReport(report: string | undefined, specs: readonly string[]): MutationOutcome {
  if (report === undefined) return invalid('the test run wrote no report');
  const parsed = reportSchema.safeParse(readJson(report));
  if (!parsed.success) return invalid('the report of the test run cannot be read');
  const { testResults } = parsed.data;
  const missing = specs.find((spec) => !testResults.some(({ name }) => name.endsWith(`/${spec}`)));
  if (missing !== undefined) return invalid(`${missing} was not run`);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failedTests = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const broken = testResults.find(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some(({ status: testStatus }) => testStatus === 'failed'),
  );
  if (broken) return invalid(`${broken.name} failed outside its tests: ${firstLine(broken.message ?? '')}`);
  if (failedTests.length > 0) return { kind: 'detected', failedTests };
  if (!tests.some(({ status }) => status === 'passed')) return invalid('no test ran');
  return { kind: 'survived' };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(reason: string): MutationOutcome {
  return { kind: 'invalid', reason };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
