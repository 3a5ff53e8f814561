import { z } from 'zod';

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
          /** SHA-256 of definition and instructions, in hex; jobs record it. */
          hash: z.string(),
          /** Present when its changed files are invalid: new jobs get the last valid version. */
          isOutdated: z.literal(true).optional(),
        })
        .meta({ id: 'Agent' }),
    ),
    /** Errors in the definitions on disk, with file and line. */
    problems: z.array(z.string()).optional(),
  })
  .meta({ id: 'AgentList' });
export type AgentList = z.infer<typeof agentListSchema>;
