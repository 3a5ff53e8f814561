import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readCobertura, readLcov } from './read-coverage.js';
import { readJsonReport } from './read-json.js';
import { readJunit } from './read-junit.js';
import { readTap } from './read-tap.js';
import { MAX_CASES, mergeReports, UnreadableReport } from './report.js';

/** Reports as real programs write them; those of jest and gotestsum follow the documentation of their formats. */
const example = (name: string): Promise<string> => readFile(new URL(`examples/${name}`, import.meta.url), 'utf8');
const counts = (passed: number, failed: number, skipped: number) => ({ ran: passed + failed, passed, failed, skipped });
const isFileName = (text: string): boolean => text === 'e.test.js';

describe('JUnit', () => {
  it.each([
    ['vitest', counts(1, 1, 1), { name: 'numbers > subtracts', suite: 'a.test.mjs', outcome: 'failed' }],
    ['node-test', counts(2, 1, 2), { name: 'subtracts # one', suite: 'test', outcome: 'failed' }],
    ['pytest', counts(1, 2, 1), { name: 'test_fails', suite: 'test_a', outcome: 'failed' }],
    ['jest', counts(1, 1, 1), { name: 'numbers subtracts', suite: 'numbers subtracts', outcome: 'failed' }],
    ['gotestsum', counts(1, 1, 1), { name: 'TestSubtract', suite: 'example.org/numbers', outcome: 'failed' }],
  ])('counts the tests of %s', async (program, tests, failed) => {
    const report = readJunit(await example(`${program}.junit.xml`));
    expect(report.tests).toEqual(tests);
    expect(report.cases).toContainEqual(failed);
  });

  it('counts no test where none ran, also not the file that a program reports in its place', async () => {
    expect(readJunit(await example('pytest-empty.junit.xml')).tests).toEqual(counts(0, 0, 0));
    expect(readJunit(await example('node-test-empty-file.junit.xml'), isFileName).tests).toEqual(counts(0, 0, 0));
    expect(readJunit(await example('node-test-empty-file.junit.xml')).tests).toEqual(counts(1, 0, 0));
  });

  it.each([
    ['an entity', '<!DOCTYPE a [<!ENTITY b "c">]><testsuites>&b;</testsuites>', /declares entities/],
    ['an undeclared entity', '<testsuites>&b;</testsuites>', /not well-formed/],
    ['an end within an element', '<testsuites><testcase name="a">', /not well-formed/],
    ['another format', '<html/>', /first element is 'html'/],
    ['no element', '', /no XML element|not well-formed/],
    ['deep elements', '<testsuites>'.repeat(300), /nested more than/],
  ])('refuses %s', (_what, text, problem) => {
    expect(() => readJunit(text)).toThrow(UnreadableReport);
    expect(() => readJunit(text)).toThrow(problem);
  });

  it('keeps the names of a limited number of tests, and counts all', () => {
    const many = '<testcase name="one"/>'.repeat(MAX_CASES + 5);
    const report = readJunit(`<testsuite>${many}</testsuite>`);
    expect([report.cases?.length, report.tests?.passed]).toEqual([MAX_CASES, MAX_CASES + 5]);
    expect(mergeReports([report, report]).tests?.passed).toBe(2 * MAX_CASES + 10);
  });
});

describe('TAP', () => {
  it.each([
    ['node-test', counts(2, 1, 2), { name: 'subtracts # one', suite: 'numbers', outcome: 'failed' }],
    ['vitest', counts(1, 1, 1), { name: 'subtracts', suite: 'a.test.mjs > numbers', outcome: 'failed' }],
    ['vitest-flat', counts(1, 1, 1), { name: 'a.test.mjs > numbers > subtracts', outcome: 'failed' }],
  ])('counts the tests of %s', async (program, tests, failed) => {
    const report = readTap(await example(`${program}.tap`));
    expect(report.tests).toEqual(tests);
    expect(report.cases).toContainEqual(failed);
  });

  it('counts no test where none ran', async () => {
    expect(readTap(await example('node-test-empty.tap')).tests).toEqual(counts(0, 0, 0));
    expect(readTap(await example('node-test-empty-file.tap'), isFileName).tests).toEqual(counts(0, 0, 0));
  });

  it('counts a test that fails although the tests in it pass', () => {
    expect(readTap('1..1\n    1..1\n    ok 1 - inner\nnot ok 1 - outer').cases).toEqual([
      { name: 'inner', suite: 'outer', outcome: 'passed' },
      { name: 'outer', outcome: 'failed' },
    ]);
  });

  it.each([
    ['no plan', 'ok 1 - a', /no plan/],
    ['fewer tests than planned', '1..2\nok 1 - a', /plans 2 tests and has 1/],
    ['more tests than planned', '1..1\nok 1 - a\nok 2 - printed by the code', /plans 1 tests and has 2/],
    ['two plans', '1..1\n1..1\nok 1', /two plans/],
    ['an abandoned run', '1..1\nok 1\nBail out! no database', /abandoned/],
    ['an end within a test', '1..1\nok 1\n    ok 1 - inner', /ends within a test/],
  ])('refuses %s', (_what, text, problem) => {
    expect(() => readTap(text)).toThrow(problem);
  });
});

describe('JSON', () => {
  it('reads the numbers and the success that the definition points to', async () => {
    const text = await example('vitest.json');
    const pointers = { passed: '/numPassedTests', failed: '/numFailedTests', skipped: '/numPendingTests' };
    expect(readJsonReport(text, { file: 'a.json', success: '/success', ...pointers })).toEqual({
      isSuccess: false,
      tests: counts(1, 1, 1),
    });
    expect(readJsonReport('{"a/b":[{"~":true}]}', { file: 'a.json', success: '/a~1b/0/~0' }).isSuccess).toBe(true);
    expect(readJsonReport('{"success":"true"}', { file: 'a.json', success: '/success' }).isSuccess).toBe(false);
  });

  it('refuses what is not JSON and what is not a number of tests', () => {
    expect(() => readJsonReport('{', { file: 'a', success: '/a' })).toThrow('it is not JSON');
    for (const passed of ['"3"', '-1', '1.5', 'null'])
      expect(() => readJsonReport(`{"p":${passed},"f":0}`, { file: 'a', passed: '/p', failed: '/f' })).toThrow(
        '/p is not a number of tests',
      );
  });
});

describe('coverage', () => {
  it('counts the covered lines of LCOV and Cobertura, each line once', async () => {
    expect(readLcov(await example('node-test.lcov'))).toEqual({ coveredLines: 5, totalLines: 6 });
    expect(readCobertura(await example('cobertura.xml'))).toEqual({ coveredLines: 3, totalLines: 4 });
  });

  it('takes a report without lines for none', () => {
    expect(() => readLcov('TN:\n')).toThrow('it lists no line');
    expect(() => readCobertura('<coverage/>')).toThrow('it lists no line');
  });
});
