import { readFile } from 'node:fs/promises';
import type { DemoResult } from '../stack/demo-result.js';
import { pluralise } from '../output/quantities.js';
import type { Paint } from '../output/paint.js';
import type { GraphFigures } from './demo-graph.js';

/** Result of a demo of several agents in turn; the last record with `--json`. */
export interface HandOverResult {
  /** One result per job, in the order of the agents. */
  readonly jobs: readonly DemoResult[];
  /** Tenant whose cache and graph the demo used. Each demo of several agents has its own tenant. */
  readonly tenant: string;
  readonly graph: GraphFigures;
  /** Figures of `output/validation.json`, if one of the jobs delivered it. */
  readonly claims?: ClaimFigures;
}

export interface ClaimFigures {
  readonly claims: number;
  readonly integrated: number;
  readonly duplicates: number;
  readonly rejected: number;
}

const VALIDATION = 'output/validation.json';

/** Reads the figures of the validation that one of the jobs delivered, if any. */
export async function readClaimFigures(jobs: readonly DemoResult[]): Promise<ClaimFigures | undefined> {
  const file = jobs.flatMap(({ files }) => files).find(({ path }) => path === VALIDATION);
  if (!file) return undefined;
  const { figures } = JSON.parse(await readFile(file.localPath, 'utf8')) as { figures?: Partial<ClaimFigures> };
  const { claims = 0, integrated = 0, duplicates = 0, rejected = 0 } = figures ?? {};
  return { claims, integrated, duplicates, rejected };
}

/** Renders the last lines of the demo. */
export function renderHandOver(result: HandOverResult, paint: Paint): string[] {
  const { graph, claims, tenant } = result;
  const query = `npx phaseline graph query --tenant ${tenant}`;
  return [
    ...(claims
      ? [
          `  Validated     ${paint.bold(pluralise(claims.claims, 'requirement'))}: ${claims.integrated} integrated, ${pluralise(claims.duplicates, 'duplicate')}, ${claims.rejected} rejected`,
        ]
      : []),
    `  Graph         ${paint.bold(pluralise(graph.requirements, 'requirement'))}: ${graph.fulfilled} fulfilled, ${graph.notFulfilled} not fulfilled, ${graph.undecided} undecided`,
    '',
    'To query the graph, even while the system is stopped:',
    `  ${query} "MATCH (r:Requirement) RETURN count(r)"`,
    `  ${query} "MATCH (r:Requirement)-[:NOT_FULFILLED_BY]->(x) RETURN x.name, r.text"`,
  ];
}
