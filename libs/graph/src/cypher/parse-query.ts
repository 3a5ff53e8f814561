import type { Assignment, Clause, Projection, Query, Removal, Scoped } from './ast.js';
import { CypherError } from './cypher-error.js';
import { parseProperties, parseScoped } from './parse-expression.js';
import { parsePath, parsePaths } from './parse-pattern.js';
import { TokenReader } from './token-reader.js';

const MAX_QUERY_CHARACTERS = 20_000;
const WRITING_CLAUSES: ReadonlySet<Clause['kind']> = new Set(['create', 'merge', 'set', 'remove', 'delete']);

/** Parses a query. Throws CypherError: `syntax`, or `unsupported` for parts of Cypher that this engine does not implement. */
export function parseQuery(text: string): Query {
  if (text.length > MAX_QUERY_CHARACTERS)
    throw new CypherError(
      'syntax',
      `The query has more than ${MAX_QUERY_CHARACTERS} characters. Pass long values as parameters.`,
    );
  const tokens = new TokenReader(text);
  const parts: Clause[][] = [];
  const unions = new Set<boolean>();
  for (;;) {
    parts.push(parseClauses(tokens));
    if (!tokens.takeWords('UNION')) break;
    unions.add(tokens.takeWords('ALL'));
  }
  tokens.takeSign(';');
  if (tokens.peek().kind !== 'end') tokens.fail('a clause such as MATCH or RETURN');
  if (unions.size > 1) throw new CypherError('syntax', 'UNION and UNION ALL cannot be mixed.');
  for (const clauses of parts) checkOrder(clauses, parts.length > 1);
  const writes = parts.some((clauses) => clauses.some(({ kind }) => WRITING_CLAUSES.has(kind)));
  return { parts, unionAll: unions.has(true), writes };
}

function checkOrder(clauses: readonly Clause[], mustReturn: boolean): void {
  const last = clauses.at(-1);
  if (!last) throw new CypherError('syntax', 'The query is empty.');
  if (clauses.slice(0, -1).some(({ kind }) => kind === 'return'))
    throw new CypherError('syntax', 'RETURN must be the last clause.');
  if (last.kind !== 'return' && (mustReturn || !WRITING_CLAUSES.has(last.kind)))
    throw new CypherError('syntax', 'The query must end with RETURN.');
}

function parseClauses(tokens: TokenReader): Clause[] {
  const clauses: Clause[] = [];
  for (;;) {
    const clause = parseClause(tokens);
    if (!clause) return clauses;
    clauses.push(clause);
  }
}

function parseClause(tokens: TokenReader): Clause | undefined {
  if (tokens.takeWords('OPTIONAL MATCH')) return parseMatch(tokens, true);
  if (tokens.takeWords('MATCH')) return parseMatch(tokens, false);
  if (tokens.takeWords('UNWIND')) {
    const list = parseWithoutAggregates(tokens);
    tokens.expectWords('AS');
    return { kind: 'unwind', list, variable: tokens.takeName('a variable') };
  }
  if (tokens.takeWords('WITH')) {
    const projection = parseProjection(tokens, true);
    return { kind: 'with', projection, where: parseWhere(tokens) };
  }
  if (tokens.takeWords('RETURN')) return { kind: 'return', projection: parseProjection(tokens, false) };
  if (tokens.takeWords('CREATE')) return { kind: 'create', paths: parsePaths(tokens, parseProperties) };
  if (tokens.takeWords('MERGE')) return parseMerge(tokens);
  if (tokens.takeWords('SET')) return { kind: 'set', assignments: parseAssignments(tokens) };
  if (tokens.takeWords('REMOVE')) return { kind: 'remove', removals: parseRemovals(tokens) };
  const detach = tokens.takeWords('DETACH DELETE');
  if (detach || tokens.takeWords('DELETE'))
    return { kind: 'delete', detach, values: parseList(tokens, () => parseWithoutAggregates(tokens)) };
  for (const word of ['CALL', 'LOAD', 'FOREACH', 'USE', 'DROP', 'SHOW', 'EXPLAIN', 'PROFILE'])
    if (tokens.isWord(word)) tokens.unsupported(word);
  return undefined;
}

function parseMatch(tokens: TokenReader, optional: boolean): Clause {
  const paths = parsePaths(tokens, parseProperties);
  return { kind: 'match', optional, paths, where: parseWhere(tokens) };
}

function parseMerge(tokens: TokenReader): Clause {
  const path = parsePath(tokens, parseProperties);
  const onCreate: Assignment[] = [];
  const onMatch: Assignment[] = [];
  for (;;) {
    if (tokens.takeWords('ON CREATE SET')) onCreate.push(...parseAssignments(tokens));
    else if (tokens.takeWords('ON MATCH SET')) onMatch.push(...parseAssignments(tokens));
    else return { kind: 'merge', path, onCreate, onMatch };
  }
}

function parseWhere(tokens: TokenReader): Scoped | undefined {
  return tokens.takeWords('WHERE') ? parseWithoutAggregates(tokens) : undefined;
}

/** Parses an expression in which no aggregate is allowed. */
function parseWithoutAggregates(tokens: TokenReader): Scoped {
  const scoped = parseScoped(tokens);
  if (scoped.aggregates.length > 0) tokens.unsupported('An aggregate outside WITH and RETURN');
  return scoped;
}

function parseProjection(tokens: TokenReader, named: boolean): Projection {
  const distinct = tokens.takeWords('DISTINCT');
  const all = tokens.takeSign('*');
  const items: { name: string; value: Scoped }[] = [];
  if (!all || tokens.takeSign(',')) {
    do {
      const from = tokens.at;
      const value = parseScoped(tokens);
      const written = tokens.textBetween(from, tokens.at);
      const { expression } = value;
      if (tokens.takeWords('AS')) items.push({ name: tokens.takeName('a name'), value });
      else if (expression.kind === 'variable') items.push({ name: expression.name, value });
      else if (named) tokens.fail('AS and a name');
      else items.push({ name: written, value });
    } while (tokens.takeSign(','));
  }
  const order: { value: Scoped; descending: boolean }[] = [];
  if (tokens.takeWords('ORDER BY')) {
    do {
      const value = parseScoped(tokens);
      const descending = tokens.takeWords('DESC') || tokens.takeWords('DESCENDING');
      if (!descending && !tokens.takeWords('ASC')) tokens.takeWords('ASCENDING');
      order.push({ value, descending });
    } while (tokens.takeSign(','));
  }
  const skip = tokens.takeWords('SKIP') || tokens.takeWords('OFFSET') ? parseWithoutAggregates(tokens) : undefined;
  const limit = tokens.takeWords('LIMIT') ? parseWithoutAggregates(tokens) : undefined;
  return { distinct, all, items, order, skip, limit };
}

function parseAssignments(tokens: TokenReader): Assignment[] {
  return parseList(tokens, (): Assignment => {
    const variable = tokens.takeName('a variable');
    if (tokens.isSign(':')) return { kind: 'labels', variable, labels: parseLabels(tokens) };
    if (tokens.takeSign('.')) {
      const name = tokens.takeName('the name of a property');
      tokens.expectSign('=');
      return { kind: 'property', variable, name, value: parseWithoutAggregates(tokens) };
    }
    const add = tokens.takeSign('+=');
    if (!add) tokens.expectSign('=');
    return { kind: 'all', variable, add, value: parseWithoutAggregates(tokens) };
  });
}

function parseRemovals(tokens: TokenReader): Removal[] {
  return parseList(tokens, (): Removal => {
    const variable = tokens.takeName('a variable');
    if (tokens.isSign(':')) return { kind: 'labels', variable, labels: parseLabels(tokens) };
    tokens.expectSign('.');
    return { kind: 'property', variable, name: tokens.takeName('the name of a property') };
  });
}

function parseLabels(tokens: TokenReader): string[] {
  const labels: string[] = [];
  while (tokens.takeSign(':')) labels.push(tokens.takeName('a label'));
  return labels;
}

function parseList<T>(tokens: TokenReader, parse: () => T): T[] {
  const items = [parse()];
  while (tokens.takeSign(',')) items.push(parse());
  return items;
}
