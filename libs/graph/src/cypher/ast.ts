/** A parsed expression. Aggregates and subqueries are looked up by identity, so expression nodes must never be copied. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'property'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'index'; readonly of: Expression; readonly at: Expression }
  | {
      readonly kind: 'slice';
      readonly of: Expression;
      readonly from?: Expression | undefined;
      readonly to?: Expression | undefined;
    }
  | { readonly kind: 'labels'; readonly of: Expression; readonly labels: readonly string[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Expression])[] }
  | {
      readonly kind: 'projection';
      readonly of: string;
      readonly all: boolean;
      readonly entries: readonly (readonly [string, Expression])[];
    }
  | { readonly kind: 'unary'; readonly sign: 'NOT' | '-' | 'IS NULL' | 'IS NOT NULL'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly sign: BinarySign; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'case';
      readonly of?: Expression | undefined;
      readonly branches: readonly (readonly [Expression, Expression])[];
      readonly otherwise?: Expression | undefined;
    }
  | {
      readonly kind: 'comprehension';
      readonly variable: string;
      readonly list: Expression;
      readonly where?: Expression | undefined;
      readonly map?: Expression | undefined;
    }
  | {
      readonly kind: 'quantifier';
      readonly which: 'all' | 'any' | 'none' | 'single';
      readonly variable: string;
      readonly list: Expression;
      readonly where: Expression;
    }
  | FunctionCall
  | Subquery;

export interface FunctionCall {
  readonly kind: 'call';
  /** Name in lower case. `count(*)` is `count` without arguments. */
  readonly name: string;
  readonly distinct: boolean;
  readonly arguments: readonly Expression[];
}

/** `EXISTS { … }`, `COUNT { … }`, or a pattern used as a condition. */
export interface Subquery {
  readonly kind: 'subquery';
  readonly result: 'exists' | 'count';
  readonly paths: readonly PathPattern[];
  readonly where: Scoped | undefined;
}

export type BinarySign =
  | 'OR' | 'XOR' | 'AND' | '=' | '<>' | '<' | '<=' | '>' | '>=' | '=~' | 'IN' | 'STARTS WITH' | 'ENDS WITH' | 'CONTAINS'
  | '+' | '-' | '*' | '/' | '%' | '^'; // prettier-ignore

/** An expression with the parts that are computed before it: aggregates, once per group, and subqueries, by querying the graph. */
export interface Scoped {
  readonly expression: Expression;
  readonly aggregates: readonly FunctionCall[];
  readonly subqueries: readonly Subquery[];
}

export interface NodePattern {
  readonly variable: string | undefined;
  readonly labels: readonly string[];
  readonly properties: readonly (readonly [string, Expression])[];
}

export interface EdgePattern {
  readonly variable: string | undefined;
  /** Allowed types; empty means any type. */
  readonly types: readonly string[];
  readonly direction: 'out' | 'in' | 'both';
  readonly properties: readonly (readonly [string, Expression])[];
  readonly hops: { readonly min: number; readonly max: number } | undefined;
}

/** A path. `nodes` has one element more than `edges`; edge i connects nodes i and i + 1. */
export interface PathPattern {
  readonly variable: string | undefined;
  readonly nodes: readonly NodePattern[];
  readonly edges: readonly EdgePattern[];
}

export interface Projection {
  readonly distinct: boolean;
  /** Whether `*` was given: all variables in scope, in addition to the items. */
  readonly all: boolean;
  readonly items: readonly { readonly name: string; readonly value: Scoped }[];
  readonly order: readonly { readonly value: Scoped; readonly descending: boolean }[];
  readonly skip: Scoped | undefined;
  readonly limit: Scoped | undefined;
}

export type Assignment =
  | { readonly kind: 'property'; readonly variable: string; readonly name: string; readonly value: Scoped }
  | { readonly kind: 'all'; readonly variable: string; readonly add: boolean; readonly value: Scoped }
  | { readonly kind: 'labels'; readonly variable: string; readonly labels: readonly string[] };

export type Removal =
  | { readonly kind: 'property'; readonly variable: string; readonly name: string }
  | { readonly kind: 'labels'; readonly variable: string; readonly labels: readonly string[] };

export type Clause =
  | {
      readonly kind: 'match';
      readonly optional: boolean;
      readonly paths: readonly PathPattern[];
      readonly where: Scoped | undefined;
    }
  | { readonly kind: 'unwind'; readonly list: Scoped; readonly variable: string }
  | { readonly kind: 'with'; readonly projection: Projection; readonly where: Scoped | undefined }
  | { readonly kind: 'return'; readonly projection: Projection }
  | { readonly kind: 'create'; readonly paths: readonly PathPattern[] }
  | {
      readonly kind: 'merge';
      readonly path: PathPattern;
      readonly onCreate: readonly Assignment[];
      readonly onMatch: readonly Assignment[];
    }
  | { readonly kind: 'set'; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'remove'; readonly removals: readonly Removal[] }
  | { readonly kind: 'delete'; readonly detach: boolean; readonly values: readonly Scoped[] };

export interface Query {
  /** Parts joined by UNION; `unionAll` says whether duplicate rows are kept. */
  readonly parts: readonly (readonly Clause[])[];
  readonly unionAll: boolean;
  readonly writes: boolean;
}
