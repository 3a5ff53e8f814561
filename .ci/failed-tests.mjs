// Prints the failed tests of a vitest report for `.ci/run`: node failed-tests.mjs names|files|counts REPORT
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [, , what, file] = process.argv;
const report = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, testResults: [] };
// A file whose hooks or imports failed may contain no failed test.
const failed = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' || assertionResults.some((test) => test.status === 'failed'),
);
const path = (result) => relative(process.cwd(), result.name);

if (what === 'counts') {
  const broken = failed.filter(({ assertionResults }) => assertionResults.every((test) => test.status !== 'failed'));
  console.log(report.numPassedTests, report.numFailedTests + broken.length, report.numPendingTests);
}
if (what === 'files') for (const result of failed) console.log(path(result));
if (what === 'names')
  for (const result of failed) {
    const tests = result.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) console.log(`${path(result)}: ${firstLine(result.message)}`);
    for (const test of tests)
      console.log(`${path(result)} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`);
  }

function firstLine(text = '') {
  return text.split('\n', 1)[0].slice(0, 300);
}
