import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { problemStatus } from '@phaseline/client';
import { denialCodes } from '../../libs/domain/src/phase/call-events.js';
import { phaseFailureCodes } from '../../libs/domain/src/phase/failure-codes.js';
import { MODEL_ERROR_CODES } from '../../libs/model/src/model-error.js';
import ts from 'typescript';
import { expect, it } from 'vitest';

/*
 * docs/reference/errors.md lists every error code of the project. The codes are collected from the sources: literals of members named
 * `code`, first arguments of errors and of functions that build failures, and the exported tables of codes.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** Codes of Node.js and zod, which are not ours. */
const FOREIGN_CODES = new Set(['ECONNREFUSED', 'custom']);
/** Folders whose codes are kinds of violations, which docs/reference/plan-violations.md lists. */
const VIOLATIONS = 'libs/planning/src/grammar/';
const TAKES_CODE = /(?:Error|Problem|Refused)$|^buildJobFailed$|^buildFailure$|^fail$|^end$/;

function collectCodes(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(`${ROOT}/${file}`, 'utf8'), ts.ScriptTarget.Latest);
  const codes: string[] = [];
  const add = (value: ts.Expression | undefined): void => {
    if (!value) return;
    if (ts.isConditionalExpression(value)) [value.whenTrue, value.whenFalse].forEach(add);
    else if (ts.isAsExpression(value)) add(value.expression);
    else if (ts.isStringLiteral(value) && !FOREIGN_CODES.has(value.text)) codes.push(value.text);
  };
  const visit = (node: ts.Node): void => {
    if ((ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) && ts.isIdentifier(node.name))
      if (node.name.text === 'code') add(node.initializer);
    if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      const [first, second] = node.arguments ?? [];
      // An error with a code has a message too. Messages are not in snake_case.
      const isCode = first && second && !(ts.isStringLiteral(first) && first.text.includes(' '));
      if (isCode && ts.isIdentifier(callee) && TAKES_CODE.test(callee.text) && callee.text !== 'CypherError')
        add(first);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return codes;
}

it('lists every error code, in snake_case, once', () => {
  const files = execFileSync('git', ['ls-files', 'apps', 'libs'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\/src\/.*\.ts$/.test(file) && !file.startsWith(VIOLATIONS))
    .filter(
      (file) => !/\.(?:spec|fixture|d)\.ts$|\/(?:testing|bench|fixtures)\/|^libs\/(?:harness|testing)\//.test(file),
    );
  const codes = new Set([
    ...files.flatMap(collectCodes),
    ...Object.keys(problemStatus),
    ...Object.keys(MODEL_ERROR_CODES),
    ...denialCodes,
    ...phaseFailureCodes,
  ]);
  expect([...codes].filter((code) => !SNAKE_CASE.test(code))).toEqual([]);

  const page = readFileSync(`${ROOT}/docs/reference/errors.md`, 'utf8');
  const listed = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code!);
  expect(listed).toEqual([...new Set(listed)]);
  // Composed codes cannot be found as literals: unknown_<kind of definition> and cypher_<kind of error>.
  const composed = listed.filter((code) => /^cypher_|^unknown_workflow$/.test(code));
  expect(listed.toSorted()).toEqual([...codes, ...composed].toSorted());
});
