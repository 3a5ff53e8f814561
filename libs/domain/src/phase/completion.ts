import { z } from 'zod';

export const completionSchema = z.object({
  summary: z.string(),
  deliverables: z.array(z.string()),
  confidence: z.number().min(0).max(1),
  notes: z.string(),
});
export type Completion = z.infer<typeof completionSchema>;
