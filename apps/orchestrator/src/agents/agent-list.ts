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
          /** Its files have changed and cannot be used: new jobs get the last good version. */
          outdated: z.literal(true).optional(),
        })
        .meta({ id: 'Agent' }),
    ),
    /** What cannot be used of the definitions as they lie on the disk, with file and line. */
    complaints: z.array(z.string()).optional(),
  })
  .meta({ id: 'AgentList' });
export type AgentList = z.infer<typeof agentListSchema>;
