import { z } from 'zod';

export const agentListSchema = z
  .object({
    items: z.array(
      z
        .object({
          /** What a submission names. */
          name: z.string(),
          displayName: z.string(),
          description: z.string(),
          workflow: z.string(),
          /** Files that a completed job of this agent has. */
          deliverables: z.array(z.string()),
          /** SHA-256, in hex, of definition and instructions; jobs record it. */
          hash: z.string(),
        })
        .meta({ id: 'Agent' }),
    ),
  })
  .meta({ id: 'AgentList' });
export type AgentList = z.infer<typeof agentListSchema>;
