import { z } from 'zod';
import { RehearsalFailure, type RehearsalRequest } from '../../rehearsal-policy.js';

const weekdaySchema = z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);
const measureSchema = z.object({
  unit: z.string(),
  from: z.number(),
  targets: z.array(z.object({ value: z.number(), by: z.string().optional() })),
});

const operationSchema = z.object({
  op: z.enum(['add', 'remove', 'replace']),
  path: z.string(),
  value: z.json().optional(),
});
const violationSchema = z.object({
  code: z.string(),
  artifact: z.string(),
  node: z.string().nullable(),
  field: z.string(),
  message: z.string().default(''),
  remedy: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('fix'), operations: z.array(operationSchema) }),
    z.object({ kind: z.literal('instruction'), text: z.string() }),
  ]),
});
export type PlanViolation = z.infer<typeof violationSchema>;

const patternSchema = z.object({
  patternType: z.string(),
  subtype: z.string().optional(),
  sourcePattern: z.string().optional(),
});
export type PatternName = z.infer<typeof patternSchema>;

/** What the planner reads of the file plan/session.json; other fields are not used. */
const sessionSchema = z.object({
  goal: z.string(),
  today: z.iso.date(),
  policy: z
    .object({
      conversationStyle: z.string().default('standard'),
      talkativeness: z.number().default(0.5),
      autonomy: z.string().default('medium'),
      brainstormingPreference: z.string().default('suggest_when_uncertain'),
      approvalPolicy: z.string().default('single_final'),
      probingDepth: z.number().default(2),
      tone: z.string().default('neutral'),
    })
    .prefault({}),
  preferences: z.object({ conversationStyle: z.string().optional() }).default({}),
  overrides: z.array(z.object({ conversationStyle: z.string().optional() })).default([]),
  wasStyleAsked: z.boolean().default(true),
  messages: z.array(z.object({ from: z.enum(['person', 'planner']), text: z.string() })).default([]),
  violations: z.array(violationSchema).default([]),
  instructions: z.array(z.string()).default([]),
  narrowed: z.boolean().default(false),
  options: z.array(z.object({ id: z.string(), title: z.string(), description: z.string().default('') })).default([]),
  chosenOption: z.string().optional(),
  refusedProposals: z.array(z.string()).default([]),
  selectedPattern: patternSchema.optional(),
  continues: z.object({ planId: z.string() }).optional(),
});
export type PlanSession = z.infer<typeof sessionSchema>;

/** What the planner reads of the context of a plan. */
export const contextSchema = z.object({
  zone: z.string().default('UTC'),
  calendar: z.object({
    hours: z.array(z.object({ weekday: weekdaySchema, from: z.string(), to: z.string() })),
    holidays: z.array(z.object({ day: z.string() })).default([]),
  }),
  capacity: z.object({ minutesPerDay: z.number(), minutesPerWeek: z.number() }),
  dates: z.object({ start: z.string(), end: z.string().optional() }),
  strategy: z.object({ bufferShare: z.number().default(0) }).default({ bufferShare: 0 }),
  facts: z.array(z.object({ question: z.string(), answer: z.string(), isAssumed: z.boolean() })).default([]),
  pattern: patternSchema.optional(),
});
export type PlanContext = z.infer<typeof contextSchema>;

const nodeSchema = z.object({
  id: z.string(),
  parent: z.string().nullable(),
  level: z.enum(['L1', 'L2', 'L3', 'L4']),
  time: z.enum(['once', 'recurring', 'cumulative']),
  title: z.string(),
  estimateMinutes: z.number().optional(),
  endCriterion: z.string().optional(),
  recurrence: z.string().optional(),
  measure: measureSchema.optional(),
  agent: z.string().optional(),
});
/** A node of an outline as artifacts hold it. Who introduced it is set by the system. */
export type PlanNode = Readonly<z.infer<typeof nodeSchema>>;

export const outlineSchema = z.object({ pattern: patternSchema.optional(), nodes: z.array(nodeSchema) });
export type PlanOutline = z.infer<typeof outlineSchema>;

export const roadmapSchema = z.object({
  phases: z.array(
    z.object({
      node: z.string(),
      mayOverlap: z.boolean(),
      milestones: z.array(z.object({ node: z.string(), due: z.string().optional() })),
      tasks: z.array(z.string()),
    }),
  ),
  dependencies: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      kind: z.enum(['FS', 'SS', 'FF', 'SF']),
      lag: z.object({
        amount: z.number(),
        unit: z.enum(['minutes', 'hours', 'days']),
        time: z.enum(['working', 'elapsed']),
      }),
    }),
  ),
  optionsTried: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
  choice: z.object({ option: z.string(), reason: z.string() }),
});
export type PlanRoadmap = z.infer<typeof roadmapSchema>;

const scheduleSchema = z.object({ tasks: z.array(z.object({ task: z.string(), start: z.string(), end: z.string() })) });

/** The files of a plan, as the prompt shows them. An artifact that does not exist, or does not parse, is absent. */
export interface PlanFiles {
  readonly session: PlanSession;
  readonly context?: PlanContext;
  readonly outline?: PlanOutline;
  readonly roadmap?: PlanRoadmap;
  readonly schedule?: z.infer<typeof scheduleSchema>;
}

/**
 * Reads the files of a plan from the prompt.
 *
 * @throws {RehearsalFailure} if plan/session.json is not in it.
 */
export function readPlanFiles({ messages }: Pick<RehearsalRequest, 'messages'>): PlanFiles {
  const prompt = messages
    .filter(({ role }) => role === 'system' || role === 'user')
    .map(({ content }) => content ?? '')
    .join('\n\n');
  const files = readJsonFiles(prompt);
  const session = sessionSchema.safeParse(files.get('plan/session.json'));
  if (!session.success)
    throw new RehearsalFailure(
      `The rehearsal policy found no usable plan/session.json in the prompt: ${session.error.message}`,
    );
  const context = contextSchema.safeParse(files.get('plan/context.json')).data;
  const outline = outlineSchema.safeParse(files.get('plan/outline.json')).data;
  const roadmap = roadmapSchema.safeParse(files.get('plan/roadmap.json')).data;
  const schedule = scheduleSchema.safeParse(files.get('plan/schedule.json')).data;
  return {
    session: session.data,
    ...(context && { context }),
    ...(outline && { outline }),
    ...(roadmap && { roadmap }),
    ...(schedule && { schedule }),
  };
}

/** Reads the JSON files of the part "Files": a heading with the path, then a fenced block. The last block of a path counts. */
function readJsonFiles(prompt: string): ReadonlyMap<string, unknown> {
  const blocks = prompt.matchAll(/^### `?([^\n`]+?)`?[ \t]*\n+(`{3,})(?:json)?\n([\s\S]*?)\n\2[ \t]*$/gm);
  return new Map(
    [...blocks].flatMap(([, path = '', , text = '']): [string, unknown][] => {
      try {
        return [[path, JSON.parse(text)]];
      } catch {
        // A file that was cut is read as missing.
        return [];
      }
    }),
  );
}
