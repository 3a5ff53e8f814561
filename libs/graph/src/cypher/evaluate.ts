import type { BinarySign, Expression, FunctionCall, Subquery } from './ast.js';
import { CypherError } from './cypher-error.js';
import { callFunction } from './functions.js';
import {
  compare,
  describe,
  equals,
  GraphEdge,
  GraphNode,
  isList,
  isMap,
  toCondition,
  type Value,
  type ValueMap,
} from './values.js';

export type Row = Readonly<Record<string, Value>>;

export interface Scope {
  readonly row: Row;
  readonly parameters: ValueMap;
  /** Values of aggregates and subqueries, computed in advance. */
  readonly computed?: ReadonlyMap<FunctionCall | Subquery, Value> | undefined;
}

/** Evaluates an expression in one row. Throws CypherError. */
export function evaluate(expression: Expression, scope: Scope): Value {
  const value = (of: Expression): Value => evaluate(of, scope);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'parameter':
      if (Object.hasOwn(scope.parameters, expression.name)) return scope.parameters[expression.name] ?? null;
      throw new CypherError(
        'missing_parameter',
        `The query uses $${expression.name}, but no such parameter was passed.`,
      );
    case 'variable':
      return readVariable(expression.name, scope);
    case 'property':
      return readProperty(value(expression.of), expression.name);
    case 'index':
      return readIndex(value(expression.of), value(expression.at));
    case 'slice':
      return readSlice(
        value(expression.of),
        expression.from && value(expression.from),
        expression.to && value(expression.to),
      );
    case 'labels': {
      const of = value(expression.of);
      if (of instanceof GraphEdge) return expression.labels.includes(of.type);
      return of instanceof GraphNode ? expression.labels.every((label) => of.labels.includes(label)) : null;
    }
    case 'list':
      return expression.items.map(value);
    case 'map':
      return evaluateMap(expression.entries, scope);
    case 'projection': {
      const of = readVariable(expression.of, scope);
      if (of === null) return null;
      const properties = of instanceof GraphNode || of instanceof GraphEdge ? of.properties : isMap(of) ? of : {};
      return { ...(expression.all ? properties : {}), ...evaluateMap(expression.entries, scope) };
    }
    case 'unary':
      return applyUnary(expression.sign, value(expression.of));
    case 'binary':
      return applyBinary(expression.sign, expression.left, expression.right, scope);
    case 'case':
      return evaluateCase(expression, scope);
    case 'comprehension': {
      const list = value(expression.list);
      if (list === null) return null;
      const { where, map } = expression;
      return toItemScopes(list, expression.variable, scope)
        .filter((inner) => !where || toCondition(evaluate(where, inner)) === true)
        .map((inner) => (map ? evaluate(map, inner) : (inner.row[expression.variable] ?? null)));
    }
    case 'quantifier': {
      const list = value(expression.list);
      if (list === null) return null;
      const results = toItemScopes(list, expression.variable, scope).map((inner) =>
        toCondition(evaluate(expression.where, inner)),
      );
      return evaluateQuantifier(expression.which, results);
    }
    case 'call':
      if (scope.computed?.has(expression)) return scope.computed.get(expression) ?? null;
      return callFunction(expression.name, expression.arguments.map(value));
    case 'subquery':
      return scope.computed?.get(expression) ?? null;
  }
}

function readVariable(name: string, { row }: Scope): Value {
  if (Object.hasOwn(row, name)) return row[name] ?? null;
  throw new CypherError('syntax', `The variable ${name} is not defined.`);
}

function readProperty(of: Value, name: string): Value {
  if (of === null) return null;
  const properties = of instanceof GraphNode || of instanceof GraphEdge ? of.properties : isMap(of) ? of : undefined;
  if (!properties) throw new CypherError('bad_value', `${describe(of)} has no property ${name}.`);
  return Object.hasOwn(properties, name) ? (properties[name] ?? null) : null;
}

function readIndex(of: Value, at: Value): Value {
  if (of === null || at === null) return null;
  if (typeof at === 'string') return readProperty(of, at);
  if (!isList(of) || typeof at !== 'number') throw new CypherError('bad_value', `${describe(of)} cannot be indexed.`);
  return of.at(at) ?? null;
}

function readSlice(of: Value, from: Value | undefined, to: Value | undefined): Value {
  if (of === null || from === null || to === null) return null;
  if (!isList(of)) throw new CypherError('bad_value', `${describe(of)} cannot be sliced.`);
  return of.slice(from as number | undefined, to as number | undefined);
}

function evaluateMap(entries: readonly (readonly [string, Expression])[], scope: Scope): ValueMap {
  return Object.fromEntries(entries.map(([name, of]) => [name, evaluate(of, scope)]));
}

function toItemScopes(list: Value, name: string, scope: Scope): Scope[] {
  if (!isList(list)) throw new CypherError('bad_value', `Expected a list, but found ${describe(list)}.`);
  return list.map((item) => ({ ...scope, row: { ...scope.row, [name]: item } }));
}

function evaluateQuantifier(
  which: 'all' | 'any' | 'none' | 'single',
  results: readonly (boolean | null)[],
): boolean | null {
  const trues = results.filter((result) => result === true).length;
  const hasUnknown = results.includes(null);
  if (which === 'single') return hasUnknown ? null : trues === 1;
  if (which === 'all') return results.includes(false) ? false : hasUnknown ? null : true;
  const any = trues > 0 ? true : hasUnknown ? null : false;
  return which === 'any' || any === null ? any : !any;
}

function evaluateCase(expression: Extract<Expression, { kind: 'case' }>, scope: Scope): Value {
  const subject = expression.of && evaluate(expression.of, scope);
  for (const [condition, result] of expression.branches) {
    const found = evaluate(condition, scope);
    if (subject === undefined ? toCondition(found) === true : equals(subject, found) === true)
      return evaluate(result, scope);
  }
  return expression.otherwise ? evaluate(expression.otherwise, scope) : null;
}

function applyUnary(sign: 'NOT' | '-' | 'IS NULL' | 'IS NOT NULL', of: Value): Value {
  if (sign === 'IS NULL') return of === null;
  if (sign === 'IS NOT NULL') return of !== null;
  if (of === null) return null;
  if (sign === 'NOT') return !toCondition(of);
  if (typeof of === 'number') return -of;
  throw new CypherError('bad_value', `${describe(of)} cannot be negated.`);
}

function applyBinary(sign: BinarySign, leftOf: Expression, rightOf: Expression, scope: Scope): Value {
  const left = evaluate(leftOf, scope);
  if (sign === 'AND' || sign === 'OR') {
    const decisive = sign === 'OR';
    if (toCondition(left) === decisive) return decisive;
    const right = toCondition(evaluate(rightOf, scope));
    if (right === decisive) return decisive;
    return left === null || right === null ? null : !decisive;
  }
  const right = evaluate(rightOf, scope);
  if (sign === '=') return equals(left, right);
  if (sign === '<>') {
    const same = equals(left, right);
    return same === null ? null : !same;
  }
  if (sign === 'IN') return isIn(left, right);
  if (left === null || right === null) return null;
  if (sign === 'XOR') return toCondition(left) !== toCondition(right);
  if (sign === '<' || sign === '<=' || sign === '>' || sign === '>=') {
    const order = compare(left, right);
    if (order === null) return null;
    return sign === '<' ? order < 0 : sign === '<=' ? order <= 0 : sign === '>' ? order > 0 : order >= 0;
  }
  if (sign === '+') return add(left, right);
  if (sign === '-' || sign === '*' || sign === '/' || sign === '%' || sign === '^') return compute(sign, left, right);
  return testText(sign, left, right);
}

function isIn(value: Value, list: Value): boolean | null {
  if (list === null) return null;
  if (!isList(list)) throw new CypherError('bad_value', `IN requires a list, but found ${describe(list)}.`);
  const results = list.map((item) => equals(value, item));
  return results.includes(true) ? true : results.includes(null) ? null : false;
}

function add(left: Value, right: Value): Value {
  if (isList(left) || isList(right)) return [...(isList(left) ? left : [left]), ...(isList(right) ? right : [right])];
  if (typeof left === 'string' || typeof right === 'string') {
    if (typeof left !== 'object' && typeof right !== 'object') return `${left}${right}`;
  }
  return compute('+', left, right);
}

function compute(sign: '+' | '-' | '*' | '/' | '%' | '^', left: Value, right: Value): number {
  if (typeof left !== 'number' || typeof right !== 'number')
    throw new CypherError('bad_value', `Cannot compute ${describe(left)} ${sign} ${describe(right)}.`);
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  if (sign === '*') return left * right;
  if (sign === '^') return left ** right;
  const whole = Number.isInteger(left) && Number.isInteger(right);
  if (right === 0 && whole) throw new CypherError('bad_value', 'Division by zero.');
  if (sign === '%') return left % right;
  return whole ? Math.trunc(left / right) : left / right;
}

function testText(sign: BinarySign, left: Value, right: Value): boolean | null {
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  if (sign === 'CONTAINS') return left.includes(right);
  if (sign === 'STARTS WITH') return left.startsWith(right);
  if (sign === 'ENDS WITH') return left.endsWith(right);
  // A regular expression written by a model could run for hours, and this process could not stop it.
  throw new CypherError(
    'unsupported',
    'Regular expressions are not supported by this graph. Use CONTAINS or STARTS WITH.',
  );
}
