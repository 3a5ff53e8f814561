import type { FunctionCall, Projection, Scoped, Subquery } from './ast.js';
import { aggregate } from './aggregates.js';
import { CypherError } from './cypher-error.js';
import { evaluate, type Row, type Scope } from './evaluate.js';
import { toKey, compareTotally, type Value, type ValueMap } from './values.js';

type Computed = ReadonlyMap<FunctionCall | Subquery, Value>;

export interface ProjectContext {
  readonly parameters: ValueMap;
  /** Computes the subqueries of the expressions for each row. */
  computeSubqueries(scoped: readonly Scoped[], rows: readonly Row[]): Promise<readonly Computed[]>;
}

export interface ProjectionResult {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

interface ProjectedRow {
  /** Values of the items. */
  readonly out: Row;
  /** Scope for ORDER BY, which may use variables beside the items. */
  readonly scope: Scope;
}

/** Runs WITH and RETURN: items, groups, DISTINCT, ORDER BY, SKIP and LIMIT, in this order. */
export async function project(
  context: ProjectContext,
  rows: readonly Row[],
  { distinct, all, items, order, skip, limit }: Projection,
  names: readonly string[],
): Promise<ProjectionResult> {
  const kept = all ? names : [];
  const columns = [...kept, ...items.map(({ name }) => name)];
  if (new Set(columns).size < columns.length)
    throw new CypherError('syntax', 'Two columns have the same name. Use AS.');
  const wanted = [...items.map(({ value }) => value), ...order.map(({ value }) => value)];
  const computed = await context.computeSubqueries(wanted, rows);
  const scopes = rows.map((row, i): Scope => ({ row, parameters: context.parameters, computed: computed[i] }));
  const aggregates = wanted.flatMap((value) => value.aggregates);
  const sources = aggregates.length > 0 ? groupScopes(context, scopes, items, kept, aggregates) : scopes;
  let lines = sources.map((scope): ProjectedRow => {
    const out: Record<string, Value> = {};
    for (const name of kept) out[name] = scope.row[name] ?? null;
    for (const { name, value } of items) out[name] = evaluate(value.expression, scope);
    return { out, scope: { ...scope, row: { ...scope.row, ...out } } };
  });
  if (distinct) {
    const seen = new Map<string, ProjectedRow>();
    for (const line of lines) {
      const key = toKey(columns.map((name) => line.out[name] ?? null));
      if (!seen.has(key)) seen.set(key, line);
    }
    lines = [...seen.values()];
  }
  if (order.length > 0) {
    const keyed = lines.map((line) => ({
      line,
      keys: order.map(({ value }) => evaluate(value.expression, line.scope)),
    }));
    keyed.sort((a, b) => {
      for (const [i, { descending }] of order.entries()) {
        const sign = compareTotally(a.keys[i] ?? null, b.keys[i] ?? null);
        if (sign !== 0) return descending ? -sign : sign;
      }
      return 0;
    });
    lines = keyed.map(({ line }) => line);
  }
  const from = skip ? evaluateCount(context, skip) : 0;
  const to = limit ? from + evaluateCount(context, limit) : undefined;
  return { columns, rows: lines.slice(from, to).map(({ out }) => out) };
}

/** Builds one scope per group. Rows with equal values for all items without an aggregate form a group. */
function groupScopes(
  { parameters }: ProjectContext,
  scopes: readonly Scope[],
  items: Projection['items'],
  kept: readonly string[],
  aggregates: readonly FunctionCall[],
): Scope[] {
  const plain = items.filter(({ value }) => value.aggregates.length === 0);
  const groups = new Map<string, Scope[]>();
  for (const scope of scopes) {
    const key = toKey([
      ...kept.map((name) => scope.row[name] ?? null),
      ...plain.map(({ value }) => evaluate(value.expression, scope)),
    ]);
    const group = groups.get(key);
    if (group) group.push(scope);
    else groups.set(key, [scope]);
  }
  // Without a key there is always one group, even without rows: count(*) is then 0.
  if (groups.size === 0 && plain.length + kept.length === 0) groups.set('', []);
  return [...groups.values()].map((group) => {
    const computed = new Map<FunctionCall | Subquery, Value>(group[0]?.computed);
    for (const call of aggregates) {
      const [argument] = call.arguments;
      const values = argument ? group.map((scope) => evaluate(argument, scope)) : [];
      computed.set(call, aggregate(call, values, group.length));
    }
    return { row: group[0]?.row ?? {}, parameters, computed };
  });
}

function evaluateCount({ parameters }: ProjectContext, scoped: Scoped): number {
  const count = evaluate(scoped.expression, { row: {}, parameters });
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  throw new CypherError('bad_value', 'SKIP and LIMIT require a non-negative integer.');
}
