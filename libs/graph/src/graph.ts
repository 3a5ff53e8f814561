import type { Value, ValueMap } from './cypher/values.js';

/** A node, edge or path as every backend hands it back: plain data, told apart by its one field. */
export interface NodeValue {
  readonly node: { readonly id: string; readonly labels: readonly string[]; readonly properties: ValueMap };
}
export interface EdgeValue {
  readonly relationship: {
    readonly id: string;
    readonly type: string;
    readonly from: string;
    readonly to: string;
    readonly properties: ValueMap;
  };
}
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

export interface GraphAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Plain[])[];
  /** Rows beyond the limit that were left out; `undefined` when there are some and nobody counted them. */
  readonly leftOut: number | undefined;
}

export interface GraphLimits {
  readonly rows: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type Parameters = Readonly<Record<string, Value>>;

/** Whose call a change is. */
export interface GraphCall {
  readonly jobId: string;
  readonly callId: string;
}

export type Ask = (query: string, parameters?: Parameters) => Promise<GraphAnswer>;

export interface GraphSchema {
  readonly labels: readonly {
    readonly label: string;
    readonly count: number;
    readonly properties: readonly string[];
  }[];
  readonly relationships: readonly {
    readonly from: readonly string[];
    readonly type: string;
    readonly to: readonly string[];
    readonly count: number;
  }[];
}

/** The graph that a job works on, whichever server keeps it. Queries are Cypher; values go in as parameters only. */
export interface Graph {
  /** Runs a query that may only read; one that would write is refused before it begins (`read_only`). */
  read(query: string, parameters: Parameters, limits: GraphLimits): Promise<GraphAnswer>;
  /**
   * Runs `work` in one transaction that also remembers the call: made again, the call has no effect and answers what it
   * answered the first time. `work` may be run more than once until it commits, and must only act through `ask`.
   */
  change(call: GraphCall, limits: GraphLimits, work: (ask: Ask) => Promise<string>): Promise<string>;
  schema(limits: GraphLimits): Promise<GraphSchema>;
}
