import { readFileSync } from 'node:fs';
import { embeddingFields, milliseconds, urlOf } from '@phaseline/service';
import { metamodelSchema, type Metamodel } from '@phaseline/contracts';
import { z } from 'zod';

const collection = (what: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_{}./-]{1,100}$/)
    .default('{tenant}')
    .describe(`${what}, where {tenant} stands for the tenant of the job`);

/** Settings of the packs that store data outside the log; docs/reference/packs.md describes each. */
export const packFields = {
  PHASELINE_CACHE_NAME: collection('the name of the requirement cache that jobs share'),
  PHASELINE_CACHE_CLAIM_MS: milliseconds('how long a claim on a requirement is valid', 15 * 60_000, 1_000),
  /** Name of the graph in PostgreSQL; ignored when NEO4J_URL is set. */
  PHASELINE_GRAPH_NAME: collection('the name of the graph that jobs share'),
  PHASELINE_GRAPH_METAMODEL_FILE: z
    .string()
    .optional()
    .transform(readMetamodel)
    .describe('a JSON file with a metamodel'),
  NEO4J_URL: urlOf('the URL of a Neo4j server, such as neo4j+s://host:7687', [
    'neo4j:',
    'neo4j+s:',
    'neo4j+ssc:',
    'bolt:',
    'bolt+s:',
    'bolt+ssc:',
  ]).optional(),
  NEO4J_USER: z.string().default('neo4j').describe('a user of that server'),
  NEO4J_PASSWORD: z.string().default('').describe('the password of that user'),
  /** Without {tenant} in the name, all tenants share one graph. */
  NEO4J_DATABASE: z.string().default('neo4j').describe('a database of that server'),
  ...embeddingFields,
};

export type PackConfig = z.output<z.ZodObject<typeof packFields>>;

function readMetamodel(path: string | undefined, context: z.core.$RefinementCtx): Metamodel | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return metamodelSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    context.addIssue({ code: 'custom', message: `cannot be used: ${reason}` });
    return z.NEVER;
  }
}
