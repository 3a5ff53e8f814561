import type { CallId, JobId } from '@phaseline/contracts';
import type { Value } from './cypher/values.js';
export type PlainValue =
  string | number | boolean | null | readonly PlainValue[] | { readonly [name: string]: PlainValue };

export interface GraphResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly PlainValue[])[];
  /** Number of rows omitted because of the limit; `undefined` if some were omitted but not counted. */
  readonly omittedRows: number | undefined;
}

export interface GraphLimits {
  readonly maxRows: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type Parameters = Readonly<Record<string, Value>>;

/** Identity of the tool call that makes a change. */
export interface GraphCall {
  readonly jobId: JobId;
  readonly callId: CallId;
}

export type RunQuery = (query: string, parameters?: Parameters) => Promise<GraphResult>;

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

/** The graph that a job works on, in any backend. Queries are Cypher; values are passed only as parameters. */
export interface Graph {
  /** Runs a reading query. A query that would write is refused before it starts (`read_only`). */
  read(query: string, parameters: Parameters, limits: GraphLimits): Promise<GraphResult>;
  /**
   * Runs `work` in one transaction that also records the call. A repeated call has no effect and returns the result of the
   * first one. `work` may run more than once before it commits, and must act only through `ask`.
   */
  change(call: GraphCall, limits: GraphLimits, work: (ask: RunQuery) => Promise<string>): Promise<string>;
  schema(limits: GraphLimits): Promise<GraphSchema>;
}
