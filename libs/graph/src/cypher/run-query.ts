import type { Clause, FunctionCall, Query, Scoped, Subquery } from './ast.js';
import { assignProperties, createPaths, deleteValues, mergePath, removeProperties } from './change-graph.js';
import { CypherError } from './cypher-error.js';
import { evaluate, type Row } from './evaluate.js';
import { requireWithinLimit, matchPaths, type MatchContext } from './match-paths.js';
import { project } from './project.js';
import { isList, toKey, toCondition, type Value } from './values.js';

export interface QueryResult {
  readonly columns: readonly string[];
  /** One value per column. */
  readonly rows: readonly (readonly Value[])[];
}

/** Runs a parsed query in the transaction of `context.store`. Throws CypherError. */
export async function runQuery(context: MatchContext, query: Query): Promise<QueryResult> {
  const results: QueryResult[] = [];
  for (const clauses of query.parts) results.push(await new QueryRun(context).runPart(clauses));
  const [first = { columns: [], rows: [] }, ...others] = results;
  if (others.length === 0) return first;
  if (others.some(({ columns }) => columns.join('\n') !== first.columns.join('\n')))
    throw new CypherError('syntax', 'All parts of a UNION must return the same columns.');
  const rows = results.flatMap((result) => result.rows);
  if (query.unionAll) return { columns: first.columns, rows };
  return { columns: first.columns, rows: [...new Map(rows.map((row) => [toKey(row), row])).values()] };
}

class QueryRun {
  private rows: readonly Row[] = [{}];
  /** Variables in scope; kept separately because there may be no row. */
  private names: readonly string[] = [];

  constructor(private readonly context: MatchContext) {}

  async runPart(clauses: readonly Clause[]): Promise<QueryResult> {
    for (const clause of clauses) {
      this.context.check();
      if (clause.kind === 'return') {
        if (clause.projection.all && this.names.length === 0)
          throw new CypherError('syntax', 'RETURN * has nothing to return.');
        const { columns, rows } = await project(this.projectContext, this.rows, clause.projection, this.names);
        return { columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
      }
      await this.runClause(clause);
      requireWithinLimit(this.context, this.rows);
    }
    return { columns: [], rows: [] };
  }

  private async runClause(clause: Exclude<Clause, { kind: 'return' }>): Promise<void> {
    const { context } = this;
    switch (clause.kind) {
      case 'match':
        this.rows = await this.match(clause);
        this.addNames(collectVariables(clause.paths));
        return;
      case 'unwind': {
        const computed = await this.computeSubqueries([clause.list], this.rows);
        this.rows = this.rows.flatMap((row, i) => {
          const list = evaluate(clause.list.expression, { row, parameters: context.parameters, computed: computed[i] });
          const items = list === null ? [] : isList(list) ? list : [list];
          return items.map((item) => ({ ...row, [clause.variable]: item }));
        });
        return this.addNames([clause.variable]);
      }
      case 'with': {
        const { columns, rows } = await project(this.projectContext, this.rows, clause.projection, this.names);
        this.names = columns;
        this.rows = clause.where ? await this.filter(rows, clause.where) : rows;
        return;
      }
      case 'create':
        this.rows = await createPaths(context, this.rows, clause.paths);
        return this.addNames(collectVariables(clause.paths));
      case 'merge':
        this.rows = await mergePath(context, this.rows, clause);
        return this.addNames(collectVariables([clause.path]));
      case 'set':
        return assignProperties(context, this.rows, clause.assignments);
      case 'remove':
        return removeProperties(context, this.rows, clause.removals);
      case 'delete':
        return deleteValues(context, this.rows, clause.values, clause.detach);
    }
  }

  private async match({ paths, where, optional }: Extract<Clause, { kind: 'match' }>): Promise<readonly Row[]> {
    const matches = await matchPaths(this.context, this.rows, paths, where);
    const rows = matches.map(({ row }) => row);
    const holds = where ? await this.evaluateWhere(rows, where) : undefined;
    const found = matches.filter((_match, i) => holds === undefined || holds[i]);
    if (!optional) return found.map(({ row }) => row);
    const byOrigin = new Map<number, Row[]>();
    for (const { origin, row } of found) byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), row]);
    const missing = Object.fromEntries(collectVariables(paths).map((name) => [name, null]));
    return this.rows.flatMap((row, origin) => byOrigin.get(origin) ?? [{ ...missing, ...row }]);
  }

  private async filter(rows: readonly Row[], where: Scoped): Promise<readonly Row[]> {
    const holds = await this.evaluateWhere(rows, where);
    return rows.filter((_row, i) => holds[i]);
  }

  private async evaluateWhere(rows: readonly Row[], where: Scoped): Promise<readonly boolean[]> {
    const computed = await this.computeSubqueries([where], rows);
    const { parameters } = this.context;
    return rows.map(
      (row, i) => toCondition(evaluate(where.expression, { row, parameters, computed: computed[i] })) === true,
    );
  }

  /** Computes EXISTS, COUNT and pattern conditions, each for all rows together. */
  private async computeSubqueries(
    scoped: readonly Scoped[],
    rows: readonly Row[],
  ): Promise<readonly ReadonlyMap<FunctionCall | Subquery, Value>[]> {
    const computed = rows.map(() => new Map<FunctionCall | Subquery, Value>());
    for (const subquery of scoped.flatMap(({ subqueries }) => subqueries)) {
      const matches = await matchPaths(this.context, rows, subquery.paths, subquery.where);
      const { where } = subquery;
      const holds = where
        ? await this.evaluateWhere(
            matches.map(({ row }) => row),
            where,
          )
        : undefined;
      const counts = rows.map(() => 0);
      for (const [i, { origin }] of matches.entries())
        if (holds?.[i] ?? true) counts[origin] = (counts[origin] ?? 0) + 1;
      for (const [i, map] of computed.entries()) {
        const count = counts[i] ?? 0;
        map.set(subquery, subquery.result === 'exists' ? count > 0 : count);
      }
    }
    return computed;
  }

  private get projectContext() {
    const { parameters } = this.context;
    return {
      parameters,
      computeSubqueries: (scoped: readonly Scoped[], rows: readonly Row[]) => this.computeSubqueries(scoped, rows),
    };
  }

  private addNames(names: readonly string[]): void {
    this.names = [...new Set([...this.names, ...names])];
  }
}

function collectVariables(paths: Extract<Clause, { kind: 'match' }>['paths']): string[] {
  const names = paths.flatMap(({ variable, nodes, edges }) => [
    variable,
    ...nodes.map((node) => node.variable),
    ...edges.map((edge) => edge.variable),
  ]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
