import { z } from 'zod';

/** What a row shows of a scheduled task. */
export interface TaskContent {
  readonly task: string;
  readonly title: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly zone: string;
  readonly recurrence: string | null;
  readonly float_minutes: number;
  readonly critical: boolean;
  readonly agent: string | null;
  /** Null if the outline does not say it. */
  readonly work_minutes: number | null;
  /** Days on which a recurring task does not take place; null for none. */
  readonly except_days: readonly string[] | null;
}

// Only what rows show is read, so that artifacts of older and newer releases have rows too.
const scheduleSchema = z.object({
  roadmapHash: z.string(),
  tasks: z.array(
    z.object({
      task: z.string(),
      start: z.iso.datetime(),
      end: z.iso.datetime(),
      zone: z.string(),
      recurrence: z.string().optional(),
      floatMinutes: z.int32(),
      critical: z.boolean(),
    }),
  ),
});
export type ScheduleContent = z.infer<typeof scheduleSchema>;

const roadmapSchema = z.object({ outlineHash: z.string() });
const outlineSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      agent: z.string().optional(),
      estimateMinutes: z.int32().optional(),
      exceptDays: z.array(z.string()).min(1).optional().catch(undefined),
    }),
  ),
});
export type OutlineContent = z.infer<typeof outlineSchema>;

/** Reads a schedule; undefined if the content is none. */
export const parseSchedule = (content: Buffer): ScheduleContent | undefined => parse(scheduleSchema, content);

/** Returns the hash of the outline from which a roadmap was made; undefined if the content is no roadmap. */
export const parseOutlineHash = (content: Buffer): string | undefined => parse(roadmapSchema, content)?.outlineHash;

/** Reads an outline; undefined if the content is none. */
export const parseOutline = (content: Buffer): OutlineContent | undefined => parse(outlineSchema, content);

function parse<Value>(schema: z.ZodType<Value>, content: Buffer): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(content.toString('utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Joins a schedule with its outline. Without an outline, the id of a task is its title. */
export function describeTasks(schedule: ScheduleContent, outline: OutlineContent | undefined): readonly TaskContent[] {
  const nodes = new Map(outline?.nodes.map((node) => [node.id, node]));
  // A task has one row, also where a faulty schedule names it twice: the last entry.
  const tasks = new Map(schedule.tasks.map((task) => [task.task, task]));
  return [...tasks.values()].map(({ task, start, end, zone, recurrence = null, floatMinutes, critical }) => {
    const { title = task, agent = null, estimateMinutes = null, exceptDays = null } = nodes.get(task) ?? {};
    return {
      ...{ task, title, starts_at: start, ends_at: end, zone, recurrence },
      ...{ float_minutes: floatMinutes, critical, agent, work_minutes: estimateMinutes, except_days: exceptDays },
    };
  });
}
