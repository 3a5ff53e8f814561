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
  truth,
  type Value,
  type ValueMap,
} from './values.js';

export type Row = Readonly<Record<string, Value>>;

export interface Scope {
  readonly row: Row;
  readonly parameters: ValueMap;
  /** Values of aggregates and subqueries, computed before. */
  readonly computed?: ReadonlyMap<FunctionCall | Subquery, Value> | undefined;
}

/** The value of an expression in one row. Throws CypherError. */
export function evaluate(expression: Expression, scope: Scope): Value {
  const value = (of: Expression): Value => evaluate(of, scope);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'parameter':
      if (Object.hasOwn(scope.parameters, expression.name)) return scope.parameters[expression.name] ?? null;
      throw new CypherError(
        'missing_parameter',
        `The query uses $${expression.name}, which is not among the parameters.`,
      );
    case 'variable':
      return variable(expression.name, scope);
    case 'property':
      return property(value(expression.of), expression.name);
    case 'index':
      return indexed(value(expression.of), value(expression.at));
    case 'slice':
      return sliced(
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
      return mapOf(expression.entries, scope);
    case 'projection': {
      const of = variable(expression.of, scope);
      if (of === null) return null;
      const own = of instanceof GraphNode || of instanceof GraphEdge ? of.properties : isMap(of) ? of : {};
      return { ...(expression.all ? own : {}), ...mapOf(expression.entries, scope) };
    }
    case 'unary':
      return unary(expression.sign, value(expression.of));
    case 'binary':
      return binary(expression.sign, expression.left, expression.right, scope);
    case 'case':
      return chosen(expression, scope);
    case 'comprehension': {
      const list = value(expression.list);
      if (list === null) return null;
      const { where, map } = expression;
      return itemScopes(list, expression.variable, scope)
        .filter((inner) => !where || truth(evaluate(where, inner)) === true)
        .map((inner) => (map ? evaluate(map, inner) : (inner.row[expression.variable] ?? null)));
    }
    case 'quantifier': {
      const list = value(expression.list);
      if (list === null) return null;
      const results = itemScopes(list, expression.variable, scope).map((inner) =>
        truth(evaluate(expression.where, inner)),
      );
      return quantified(expression.which, results);
    }
    case 'call':
      if (scope.computed?.has(expression)) return scope.computed.get(expression) ?? null;
      return callFunction(expression.name, expression.arguments.map(value));
    case 'subquery':
      return scope.computed?.get(expression) ?? null;
  }
}

function variable(name: string, { row }: Scope): Value {
  if (Object.hasOwn(row, name)) return row[name] ?? null;
  throw new CypherError('syntax', `The variable ${name} is not known here.`);
}

function property(of: Value, name: string): Value {
  if (of === null) return null;
  const own = of instanceof GraphNode || of instanceof GraphEdge ? of.properties : isMap(of) ? of : undefined;
  if (!own) throw new CypherError('bad_value', `${describe(of)} has no property ${name}.`);
  return Object.hasOwn(own, name) ? (own[name] ?? null) : null;
}

function indexed(of: Value, at: Value): Value {
  if (of === null || at === null) return null;
  if (typeof at === 'string') return property(of, at);
  if (!isList(of) || typeof at !== 'number') throw new CypherError('bad_value', `${describe(of)} cannot be indexed.`);
  return of.at(at) ?? null;
}

function sliced(of: Value, from: Value | undefined, to: Value | undefined): Value {
  if (of === null || from === null || to === null) return null;
  if (!isList(of)) throw new CypherError('bad_value', `${describe(of)} has no parts.`);
  return of.slice(from as number | undefined, to as number | undefined);
}

function mapOf(entries: readonly (readonly [string, Expression])[], scope: Scope): ValueMap {
  return Object.fromEntries(entries.map(([name, of]) => [name, evaluate(of, scope)]));
}

function itemScopes(list: Value, name: string, scope: Scope): Scope[] {
  if (!isList(list)) throw new CypherError('bad_value', `Expected a list, but found ${describe(list)}.`);
  return list.map((item) => ({ ...scope, row: { ...scope.row, [name]: item } }));
}

function quantified(which: 'all' | 'any' | 'none' | 'single', results: readonly (boolean | null)[]): boolean | null {
  const trues = results.filter((result) => result === true).length;
  const unknown = results.includes(null);
  if (which === 'single') return unknown ? null : trues === 1;
  if (which === 'all') return results.includes(false) ? false : unknown ? null : true;
  const any = trues > 0 ? true : unknown ? null : false;
  return which === 'any' || any === null ? any : !any;
}

function chosen(expression: Extract<Expression, { kind: 'case' }>, scope: Scope): Value {
  const subject = expression.of && evaluate(expression.of, scope);
  for (const [condition, result] of expression.branches) {
    const found = evaluate(condition, scope);
    if (subject === undefined ? truth(found) === true : equals(subject, found) === true) return evaluate(result, scope);
  }
  return expression.otherwise ? evaluate(expression.otherwise, scope) : null;
}

function unary(sign: 'NOT' | '-' | 'IS NULL' | 'IS NOT NULL', of: Value): Value {
  if (sign === 'IS NULL') return of === null;
  if (sign === 'IS NOT NULL') return of !== null;
  if (of === null) return null;
  if (sign === 'NOT') return !truth(of);
  if (typeof of === 'number') return -of;
  throw new CypherError('bad_value', `${describe(of)} cannot be negated.`);
}

function binary(sign: BinarySign, leftOf: Expression, rightOf: Expression, scope: Scope): Value {
  const left = evaluate(leftOf, scope);
  if (sign === 'AND' || sign === 'OR') {
    const decisive = sign === 'OR';
    if (truth(left) === decisive) return decisive;
    const right = truth(evaluate(rightOf, scope));
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
  if (sign === 'XOR') return truth(left) !== truth(right);
  if (sign === '<' || sign === '<=' || sign === '>' || sign === '>=') {
    const order = compare(left, right);
    if (order === null) return null;
    return sign === '<' ? order < 0 : sign === '<=' ? order <= 0 : sign === '>' ? order > 0 : order >= 0;
  }
  if (sign === '+') return sum(left, right);
  if (sign === '-' || sign === '*' || sign === '/' || sign === '%' || sign === '^')
    return arithmetic(sign, left, right);
  return textTest(sign, left, right);
}

function isIn(value: Value, list: Value): boolean | null {
  if (list === null) return null;
  if (!isList(list)) throw new CypherError('bad_value', `IN wants a list, but found ${describe(list)}.`);
  const results = list.map((item) => equals(value, item));
  return results.includes(true) ? true : results.includes(null) ? null : false;
}

function sum(left: Value, right: Value): Value {
  if (isList(left) || isList(right)) return [...(isList(left) ? left : [left]), ...(isList(right) ? right : [right])];
  if (typeof left === 'string' || typeof right === 'string') {
    if (typeof left !== 'object' && typeof right !== 'object') return `${left}${right}`;
  }
  return arithmetic('+', left, right);
}

function arithmetic(sign: '+' | '-' | '*' | '/' | '%' | '^', left: Value, right: Value): number {
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

function textTest(sign: BinarySign, left: Value, right: Value): boolean | null {
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  if (sign === 'CONTAINS') return left.includes(right);
  if (sign === 'STARTS WITH') return left.startsWith(right);
  if (sign === 'ENDS WITH') return left.endsWith(right);
  // A pattern of the model's making can keep a processor busy for hours, and nothing here could stop it.
  throw new CypherError(
    'unsupported',
    'Regular expressions are not supported by this graph. Use CONTAINS or STARTS WITH.',
  );
}
