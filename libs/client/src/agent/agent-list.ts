import { z } from 'zod';

const limit = z.number().positive().optional();

/** An agent that jobs can be submitted to. */
export const agentShape = {
  /** Name to use in a submission. */
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  workflow: z.string(),
  /** Files that a completed job of this agent contains. */
  deliverables: z.array(z.string()),
  /** Present when the orchestrator submits jobs of this agent by itself. */
  startWhen: z.object({ cache: z.literal('open'), batch: z.int().min(1), perTenant: z.int().min(1) }).optional(),
  /** Inputs without which a submission is refused. */
  requires: z
    .object({
      /** Minimum number of documents. */
      documents: z.int().min(1).optional(),
      instructions: z.boolean().optional(),
      /** Names of parameters. */
      parameters: z.array(z.string()).optional(),
    })
    .optional(),
  /** Limits of a job that names none. */
  budgets: z.object({ maxCostUsd: limit, maxTokens: limit, maxPhases: limit, maxWallTimeMs: limit }),
  /** SHA-256 of definition and instructions, in hex; jobs record it. */
  hash: z.string(),
  /** Present when its changed files are invalid: new jobs get the last valid version. */
  isOutdated: z.literal(true).optional(),
};

/** A problem in the files of a definition. */
export const definitionProblemSchema = z
  .object({
    file: z.string(),
    /** Line number from 1; missing if the problem concerns the whole file. */
    line: z.int().min(1).optional(),
    /** Column number from 1. */
    column: z.int().min(1).optional(),
    /** What was expected and what was found. */
    message: z.string(),
  })
  .meta({ id: 'DefinitionProblem' });
export type DefinitionProblemRecord = z.infer<typeof definitionProblemSchema>;

/** Response of `GET /v1/agents`. */
export const agentListSchema = z
  .object({
    items: z.array(z.object(agentShape).meta({ id: 'Agent' })),
    /** Agents without any valid version. */
    unusable: z.array(z.string()).optional(),
    /** Errors in the definitions on disk. */
    problems: z.array(definitionProblemSchema).optional(),
  })
  .meta({ id: 'AgentList' });
export type AgentList = z.infer<typeof agentListSchema>;
