import type { Expression, FunctionCall, PathPattern, Scoped, Subquery } from './ast.js';
import { isAggregate } from './aggregates.js';
import { isFunction } from './functions.js';
import { COMPARISON_OPERATORS, OPERATORS_BY_PRECEDENCE } from './operators.js';
import { parsePath, parsePaths } from './parse-pattern.js';
import { CypherError } from './cypher-error.js';
import type { TokenReader } from './token-reader.js';

/** Maximum nesting depth. Real queries nest less, and deeper ones would overflow the parser's stack. */
const MAX_DEPTH = 60;

/** Parses one expression and collects the aggregates and subqueries that must be computed before it. */
export function parseScoped(tokens: TokenReader): Scoped {
  const parser = new ExpressionParser(tokens);
  const expression = parser.parseExpression();
  return { expression, aggregates: parser.aggregates, subqueries: parser.subqueries };
}

/** Parses the properties in a pattern: `{name: value, …}`. They are used for lookups, so they may not contain subqueries. */
export function parseProperties(tokens: TokenReader): readonly (readonly [string, Expression])[] {
  const parser = new ExpressionParser(tokens);
  const map = parser.parseMap();
  if (parser.aggregates.length + parser.subqueries.length > 0) tokens.unsupported('Such an expression in a pattern');
  return map;
}

class ExpressionParser {
  readonly aggregates: FunctionCall[] = [];
  readonly subqueries: Subquery[] = [];
  /** Number of enclosing list expressions. Their variables exist only inside them, so subqueries cannot use them. */
  private enclosingLists = 0;
  private depth = 0;

  constructor(private readonly tokens: TokenReader) {}

  parseExpression(): Expression {
    if (++this.depth > MAX_DEPTH)
      throw new CypherError('syntax', 'The query is nested too deeply. Split it with WITH.');
    const result = this.parseBinary(0);
    this.depth -= 1;
    return result;
  }

  parseMap(): (readonly [string, Expression])[] {
    const { tokens } = this;
    const entries: (readonly [string, Expression])[] = [];
    tokens.expectSign('{');
    if (tokens.takeSign('}')) return entries;
    do {
      const name = tokens.takeName('the name of a property');
      tokens.expectSign(':');
      entries.push([name, this.parseExpression()]);
    } while (tokens.takeSign(','));
    tokens.expectSign('}');
    return entries;
  }

  private parseBinary(level: number): Expression {
    if (level === 3 && this.tokens.takeWords('NOT')) return { kind: 'unary', sign: 'NOT', of: this.parseBinary(3) };
    const operators = OPERATORS_BY_PRECEDENCE[level];
    if (!operators) return this.parseSigned();
    let left = this.parseBinary(level + 1);
    for (;;) {
      const test = level === 4 ? this.parseNullTest(left) : undefined;
      if (test) {
        left = test;
        continue;
      }
      const sign = operators.find((name) =>
        /^[A-Z]/.test(name) ? this.tokens.takeWords(name) : this.tokens.takeSign(name),
      );
      if (sign === undefined) return left;
      const right = this.parseBinary(level + 1);
      left = { kind: 'binary', sign, left, right };
      // `1 < x <= 5` means `1 < x AND x <= 5`.
      const chained = COMPARISON_OPERATORS.has(sign)
        ? operators.find((name) => COMPARISON_OPERATORS.has(name) && this.tokens.takeSign(name))
        : undefined;
      if (chained === undefined) continue;
      const further: Expression = { kind: 'binary', sign: chained, left: right, right: this.parseBinary(level + 1) };
      left = { kind: 'binary', sign: 'AND', left, right: further };
    }
  }

  private parseNullTest(of: Expression): Expression | undefined {
    if (this.tokens.takeWords('IS NOT NULL')) return { kind: 'unary', sign: 'IS NOT NULL', of };
    if (this.tokens.takeWords('IS NULL')) return { kind: 'unary', sign: 'IS NULL', of };
    return undefined;
  }

  private parseSigned(): Expression {
    if (this.tokens.takeSign('-')) return { kind: 'unary', sign: '-', of: this.parseSigned() };
    this.tokens.takeSign('+');
    return this.parsePostfix(this.parseAtom());
  }

  private parsePostfix(start: Expression): Expression {
    const { tokens } = this;
    let of = start;
    for (;;) {
      if (tokens.isSign('.') && !tokens.isSign('.', 1)) {
        tokens.next();
        of = { kind: 'property', of, name: tokens.takeName('the name of a property') };
      } else if (tokens.takeSign('[')) {
        of = this.parseIndexed(of);
      } else if (tokens.isSign(':') && of.kind === 'variable') {
        const labels: string[] = [];
        while (tokens.takeSign(':')) labels.push(tokens.takeName('a label'));
        of = { kind: 'labels', of, labels };
      } else return of;
    }
  }

  private parseIndexed(of: Expression): Expression {
    const { tokens } = this;
    const from = tokens.isSign('..') ? undefined : this.parseExpression();
    if (from !== undefined && !tokens.isSign('..')) {
      tokens.expectSign(']');
      return { kind: 'index', of, at: from };
    }
    tokens.expectSign('..');
    const to = tokens.isSign(']') ? undefined : this.parseExpression();
    tokens.expectSign(']');
    return { kind: 'slice', of, from, to };
  }

  private parseAtom(): Expression {
    const { tokens } = this;
    const token = tokens.peek();
    switch (token.kind) {
      case 'string':
        tokens.next();
        return { kind: 'literal', value: token.text };
      case 'number':
        tokens.next();
        return { kind: 'literal', value: Number(token.text) };
      case 'parameter':
        tokens.next();
        return { kind: 'parameter', name: token.text };
      case 'sign':
        return this.parseBracketed();
      case 'word':
        return this.parseKeyword() ?? this.parseNamed();
      case 'quoted':
        return this.parseNamed();
      default:
        return tokens.fail('an expression');
    }
  }

  private parseBracketed(): Expression {
    const { tokens } = this;
    if (tokens.isSign('(')) return this.parsePatternCondition() ?? this.parseParenthesised();
    if (tokens.isSign('{')) return { kind: 'map', entries: this.parseMap() };
    if (tokens.takeSign('[')) return this.list();
    return tokens.fail('an expression');
  }

  private parseParenthesised(): Expression {
    this.tokens.expectSign('(');
    const inner = this.parseExpression();
    this.tokens.expectSign(')');
    return inner;
  }

  /** Parses a pattern used as a condition, such as `(a)-[:KNOWS]->()`. Returns `undefined` if there is none. */
  private parsePatternCondition(): Expression | undefined {
    const { tokens } = this;
    const start = tokens.at;
    try {
      const path = parsePath(tokens, parseProperties);
      if (path.edges.length > 0) return this.addSubquery('exists', [path], undefined);
    } catch (error) {
      if (!(error instanceof CypherError) || error.code !== 'syntax') throw error;
    }
    tokens.at = start;
    return undefined;
  }

  private addSubquery(result: Subquery['result'], paths: readonly PathPattern[], where: Scoped | undefined): Subquery {
    if (this.enclosingLists > 0) this.tokens.unsupported('A pattern inside a list expression');
    const subquery: Subquery = { kind: 'subquery', result, paths, where };
    this.subqueries.push(subquery);
    return subquery;
  }

  private list(): Expression {
    const { tokens } = this;
    const { kind } = tokens.peek();
    if ((kind === 'word' || kind === 'quoted') && tokens.isWord('IN', 1)) {
      const { variable, list, where } = this.parseFiltered();
      const map = tokens.takeSign('|') ? this.parseLocally(() => this.parseExpression()) : undefined;
      tokens.expectSign(']');
      return { kind: 'comprehension', variable, list, where, map };
    }
    const items: Expression[] = [];
    if (tokens.takeSign(']')) return { kind: 'list', items };
    do items.push(this.parseExpression());
    while (tokens.takeSign(','));
    tokens.expectSign(']');
    return { kind: 'list', items };
  }

  /** Parses `x IN list WHERE condition`. */
  private parseFiltered(): { variable: string; list: Expression; where: Expression | undefined } {
    const variable = this.tokens.takeName('a variable');
    this.tokens.expectWords('IN');
    const list = this.parseExpression();
    const where = this.tokens.takeWords('WHERE') ? this.parseLocally(() => this.parseExpression()) : undefined;
    return { variable, list, where };
  }

  private parseLocally<T>(parse: () => T): T {
    this.enclosingLists += 1;
    const result = parse();
    this.enclosingLists -= 1;
    return result;
  }

  private parseKeyword(): Expression | undefined {
    const { tokens } = this;
    const word = tokens.peek().text.toUpperCase();
    if (word === 'TRUE' || word === 'FALSE' || word === 'NULL') {
      tokens.next();
      return { kind: 'literal', value: word === 'NULL' ? null : word === 'TRUE' };
    }
    if (word === 'CASE') return this.parseCase();
    if ((word === 'EXISTS' || word === 'COUNT') && tokens.isSign('{', 1)) {
      tokens.at += 2;
      tokens.takeWords('MATCH');
      const paths = parsePaths(tokens, parseProperties);
      const where = tokens.takeWords('WHERE') ? parseScoped(tokens) : undefined;
      tokens.expectSign('}');
      return this.addSubquery(word === 'EXISTS' ? 'exists' : 'count', paths, where);
    }
    if (word === 'EXISTS' && tokens.isSign('(', 1)) {
      tokens.next();
      const condition = this.parsePatternCondition();
      if (condition) return condition;
      return { kind: 'unary', sign: 'IS NOT NULL', of: this.parseParenthesised() };
    }
    return undefined;
  }

  private parseCase(): Expression {
    const { tokens } = this;
    tokens.next();
    const of = tokens.isWord('WHEN') ? undefined : this.parseExpression();
    const branches: (readonly [Expression, Expression])[] = [];
    while (tokens.takeWords('WHEN')) {
      const condition = this.parseExpression();
      tokens.expectWords('THEN');
      branches.push([condition, this.parseExpression()]);
    }
    const otherwise = tokens.takeWords('ELSE') ? this.parseExpression() : undefined;
    tokens.expectWords('END');
    return { kind: 'case', of, branches, otherwise };
  }

  private parseNamed(): Expression {
    const { tokens } = this;
    const name = tokens.takeName('an expression');
    if (tokens.isSign('(')) return this.call(name);
    if (tokens.isSign('{')) return this.projection(name);
    return { kind: 'variable', name };
  }

  private call(written: string): Expression {
    const { tokens } = this;
    const name = written.toLowerCase();
    tokens.expectSign('(');
    if (name === 'all' || name === 'any' || name === 'none' || name === 'single') {
      const { variable, list, where } = this.parseFiltered();
      tokens.expectSign(')');
      return { kind: 'quantifier', which: name, variable, list, where: where ?? { kind: 'literal', value: true } };
    }
    const args: Expression[] = [];
    const distinct = tokens.takeWords('DISTINCT');
    if (name === 'count' && tokens.takeSign('*')) tokens.expectSign(')');
    else if (!tokens.takeSign(')')) {
      do args.push(this.parseExpression());
      while (tokens.takeSign(','));
      tokens.expectSign(')');
    }
    const call: FunctionCall = { kind: 'call', name, distinct, arguments: args };
    if (isAggregate(name)) {
      if (this.enclosingLists > 0) tokens.unsupported('An aggregate inside a list expression');
      this.aggregates.push(call);
    } else if (!isFunction(name)) tokens.unsupported(`The function ${written}()`);
    return call;
  }

  /** Parses `n {.name, .*, other: expression}`. */
  private projection(of: string): Expression {
    const { tokens } = this;
    const entries: (readonly [string, Expression])[] = [];
    let all = false;
    tokens.expectSign('{');
    do {
      if (tokens.takeSign('.')) {
        if (tokens.takeSign('*')) all = true;
        else {
          const name = tokens.takeName('the name of a property');
          entries.push([name, { kind: 'property', of: { kind: 'variable', name: of }, name }]);
        }
      } else {
        const name = tokens.takeName('a name');
        entries.push([name, tokens.takeSign(':') ? this.parseExpression() : { kind: 'variable', name }]);
      }
    } while (tokens.takeSign(','));
    tokens.expectSign('}');
    return { kind: 'projection', of, all, entries };
  }
}
