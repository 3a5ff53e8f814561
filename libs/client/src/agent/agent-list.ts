import { z } from 'zod';

/** Response of `GET /v1/agents`. */
export const agentListSchema = z
  .object({
    items: z.array(
      z
        .object({
          /** Name to use in a submission. */
          name: z.string(),
          displayName: z.string(),
          description: z.string(),
          workflow: z.string(),
          /** Files that a completed job of this agent contains. */
          deliverables: z.array(z.string()),
          /** Present when the orchestrator submits jobs of this agent by itself. */
          startWhen: z
            .object({ cache: z.literal('open'), batch: z.int().min(1), perTenant: z.int().min(1) })
            .optional(),
          /** SHA-256 of definition and instructions, in hex; jobs record it. */
          hash: z.string(),
          /** Present when its changed files are invalid: new jobs get the last valid version. */
          isOutdated: z.literal(true).optional(),
        })
        .meta({ id: 'Agent' }),
    ),
    /** Errors in the definitions on disk. */
    problems: z
      .array(
        z
          .object({
            file: z.string(),
            /** Line number from 1; missing if the problem concerns the whole file. */
            line: z.int().min(1).optional(),
            /** Column number from 1. */
            column: z.int().min(1).optional(),
            /** What was expected and what was found. */
            message: z.string(),
          })
          .meta({ id: 'DefinitionProblem' }),
      )
      .optional(),
  })
  .meta({ id: 'AgentList' });
export type AgentList = z.infer<typeof agentListSchema>;
