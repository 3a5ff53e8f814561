import { parseXml } from './parse-xml.js';
import { CaseCollector, UnreadableReport, type IsFileName, type Report, type TestCase } from './report.js';

/**
 * Reads a JUnit XML report, as written by vitest, jest-junit, `node --test`, pytest, gotestsum and others. The tests are counted; numbers in the
 * attributes of suites are not used, because programs disagree about their meaning. Throws UnreadableReport.
 */
export function readJunit(text: string, isFileName?: IsFileName): Report {
  const collector = new CaseCollector(isFileName);
  let current: { name: string; suite: string | undefined; outcome: TestCase['outcome'] } | undefined;
  parseXml(text, {
    open({ name, attributes }, depth) {
      if (depth === 1 && name !== 'testsuites' && name !== 'testsuite')
        throw new UnreadableReport(`its first element is '${name.slice(0, 50)}', expected 'testsuites' or 'testsuite'`);
      if (name === 'testcase') {
        const suite = attributes['classname'] ?? attributes['file'];
        current = { name: attributes['name'] ?? '', suite, outcome: 'passed' };
      } else if (current && (name === 'failure' || name === 'error')) current.outcome = 'failed';
      // A test that failed and is also marked as skipped has failed.
      else if (current && name === 'skipped' && current.outcome === 'passed') current.outcome = 'skipped';
    },
    close(name) {
      if (name !== 'testcase' || !current) return;
      collector.add(current);
      current = undefined;
    },
  });
  return collector.finish();
}
