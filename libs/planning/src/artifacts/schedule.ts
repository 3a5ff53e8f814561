import { z } from 'zod';
import { contentHashSchema, instantSchema, MAX_NODES, nodeIdSchema, recurrenceSchema, zoneSchema } from './fields.js';

/** When a task is done. Of a recurring task: its first occurrence. */
const scheduledTaskSchema = z.strictObject({
  task: nodeIdSchema,
  start: instantSchema,
  end: instantSchema,
  zone: zoneSchema,
  recurrence: recurrenceSchema.optional(),
  floatMinutes: z.int().min(0).max(100_000_000).describe('Working minutes by which it can move without moving the end'),
  critical: z.boolean(),
});
export type ScheduledTask = z.infer<typeof scheduledTaskSchema>;

export const scheduleSchema = z
  .strictObject({
    roadmapHash: contentHashSchema.describe('Roadmap from which the schedule was made'),
    tasks: z.array(scheduledTaskSchema).max(2 * MAX_NODES),
  })
  .meta({ title: 'Schedule' });
export type Schedule = z.infer<typeof scheduleSchema>;
