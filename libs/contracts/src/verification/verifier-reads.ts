import { z } from 'zod';
import { localPathSchema } from '../paths/local-path.js';

const reportGlob = localPathSchema.describe('Path or glob of report files; they are removed before the run');
const pointer = z
  .string()
  .max(500)
  .regex(/^(?:\/[^/]*)*$/, 'expected a JSON pointer such as /success');

const jsonReportSchema = z
  .strictObject({
    file: localPathSchema.describe('Path of the report; `stdout` for the standard output'),
    success: pointer.optional().describe('Value that must be true'),
    passed: pointer.optional().describe('Number of tests that passed'),
    failed: pointer.optional().describe('Number of tests that failed'),
    skipped: pointer.optional().describe('Number of tests that were skipped'),
  })
  .refine(({ success, passed, failed }) => success !== undefined || (passed !== undefined && failed !== undefined), {
    error: "expected 'success', or 'passed' and 'failed'",
  });

const coverageSchema = z
  .strictObject({
    lcov: reportGlob.optional().describe('LCOV report'),
    cobertura: reportGlob.optional().describe('Cobertura report'),
  })
  .refine(({ lcov, cobertura }) => (lcov === undefined) !== (cobertura === undefined), {
    error: "expected one of 'lcov' and 'cobertura'",
  });

const SOURCES = ['exitCode', 'junit', 'tap', 'json'] as const;

/**
 * How the outcome of a verifier is read. Every way also requires the exit code 0. Exactly one of `exitCode`, `junit`, `tap` and `json` is
 * present.
 */
export const verifierReadsSchema = z
  .strictObject({
    exitCode: z.literal(true).optional().describe('Only the exit code. It counts no tests'),
    junit: reportGlob.optional().describe('JUnit XML reports'),
    tap: localPathSchema.optional().describe('TAP report; `stdout` for the standard output'),
    json: jsonReportSchema.optional().describe('Members of a JSON report, by JSON pointer'),
    coverage: coverageSchema.optional().describe('Report from which the covered share of lines is read'),
  })
  .refine((reads) => SOURCES.filter((source) => reads[source] !== undefined).length === 1, {
    error: `expected one of ${SOURCES.map((name) => `'${name}'`).join(', ')}`,
  });
export type VerifierReads = z.infer<typeof verifierReadsSchema>;

/** Whether a report of this kind says how many tests ran. */
export function countsTests(reads: VerifierReads): boolean {
  return reads.junit !== undefined || reads.tap !== undefined || reads.json?.passed !== undefined;
}
