import type { JsonObject } from '@phaseline/basics';
import {
  dependencyKinds,
  featureNames,
  MAX_DEPENDENCIES,
  MAX_ESTIMATE_MINUTES,
  MAX_NODES,
  nodeLevels,
  nodeTimes,
  toSnakeKey,
  weekdays,
} from '@phaseline/planning';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const MINUTES_PER_DAY = 24 * 60;

/** Texts are clipped or refused by the schemas of the artifacts; here they are only bounded. */
const text = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters);
const line = text(200);
const sentences = text(2_000);
const share = z.number().min(0).max(1);
const day = z.iso.date();
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected letters, digits, ".", "_", "-"');

const confidence = share.describe(
  'How sure you are of this call, 0 to 1. Below 0.7, it is tried again or a person is asked',
);

/** What checks and the trace read of every result of a planning tool. Its `data` is in the text for the model. */
const result = z.object({
  ok: z.boolean(),
  confidence: share,
  /** Codes of the violations that the call found. */
  violations: z.array(z.string()).optional(),
  /** Number of structural changes that the call made. */
  adaptations: z.number().optional(),
  /** Whether the answer is that of an earlier call with the same input; nothing was computed. */
  memo: z.boolean().optional(),
  explanations: z.array(z.string()),
}) as unknown as z.ZodType<JsonObject>;

/** What the check of an approval reads of the other plans of a person, besides what the trace reads. */
const portfolioResult = z.object({
  ok: z.boolean(),
  confidence: share,
  explanations: z.array(z.string()),
  portfolio_version: z.string(),
  /** What does not go together with other plans, as sentences. */
  conflicts: z.array(z.string()),
}) as unknown as z.ZodType<JsonObject>;

/** What a controller decides: the outcome of the phase. Without one, the model works on. */
const decision = z.object({ outcome: z.string().optional() }) as unknown as z.ZodType<JsonObject>;

/** Plans are made in phases that plan; a script or another agent has no use for these tools. */
const traits = ['strategic_only', 'not_nestable'] as const;
const inline = { lane: 'inline', traits, result } as const;
const controller = { lane: 'inline', traits: ['system', 'not_nestable'], result: decision } as const;
const remote = { lane: 'remote', effect: 'pure', timeoutMs: 60_000, traits, result } as const;

const weekday = z.enum(weekdays);
const clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'expected a time such as 09:00');

const contextInput = z.object({
  zone: z.string().max(64).optional().describe('IANA time zone, such as Europe/Berlin'),
  start: day.optional().describe('First day of work'),
  end: day.optional().describe('Last day of work'),
  fixed: z
    .array(z.object({ title: line, day, node: id.optional() }))
    .max(200)
    .optional()
    .describe('Days that cannot be moved, such as an exam'),
  hours: z
    .array(z.object({ weekday, from: clock, to: clock }))
    .max(42)
    .optional()
    .describe('When the person can work; replaces the hours that are known'),
  holidays: z
    .array(z.object({ day, title: line.optional() }))
    .max(400)
    .optional(),
  minutes_per_day: z.int().min(1).max(MINUTES_PER_DAY).optional(),
  minutes_per_week: z
    .int()
    .min(1)
    .max(7 * MINUTES_PER_DAY)
    .optional(),
  loading: z.enum(['even', 'front_loaded', 'back_loaded']).optional(),
  buffer_share: share.optional(),
  preferred_weekdays: z.array(weekday).max(7).optional(),
  facts: z
    .array(z.object({ question: sentences, answer: sentences, is_assumed: z.boolean() }))
    .max(100)
    .optional()
    .describe('What the person said or what you assume, as question and answer'),
  questions: z
    .array(
      z.object({
        text: sentences,
        purpose: z.enum(['fact', 'approval']).default('fact'),
        assumption: sentences.describe('What is assumed if the question is not asked'),
        is_blocking: z.boolean().default(false).describe('Whether no plan can be made without the answer'),
        options: z.array(line).max(10).optional(),
      }),
    )
    .max(20)
    .optional()
    .describe('What is missing. How many are asked depends on the person; the others become assumptions'),
  confidence,
});

const overrides = z.object({
  conversation_style: z.enum(['concise', 'standard', 'conversational', 'coach']).optional(),
  talkativeness: share.optional(),
  autonomy: z.enum(['high', 'medium', 'low']).optional(),
  brainstorming_preference: z.enum(['on_demand', 'suggest_when_uncertain', 'always_offer']).optional(),
  approval_policy: z.enum(['single_final', 'milestone_approvals', 'strict_every_step']).optional(),
  probing_depth: z.int().min(0).max(3).optional(),
  tone: z.enum(['neutral', 'friendly', 'clinical']).optional(),
});

const features = z.object(Object.fromEntries(featureNames.map((name) => [toSnakeKey(name), share])));

const patternInput = z.object({
  features: features.describe(
    'How much of each the goal has: an end date, repetition, a measure that adds up, a change of state',
  ),
  requested_pattern: line.optional().describe('Pattern that the person asked for by name'),
  subtype: line.optional().describe('Known subtype that fits'),
  variant: line.optional(),
  proposal: z
    .object({
      level: z.enum(['subtype', 'top_level']),
      name: line.describe('proposed:<name>'),
      rfc: sentences.optional().describe('Why no known pattern fits'),
      source_pattern: line.optional(),
      definition: z.record(z.string(), z.unknown()).optional().describe('Grammar of a new top-level pattern'),
    })
    .optional(),
  confidence,
});

const node = z.object({
  id,
  parent: id.nullable().describe('Node that contains this one; null for L1'),
  level: z.enum(nodeLevels),
  time: z.enum(nodeTimes),
  title: line,
  estimate_minutes: z.int().min(1).max(MAX_ESTIMATE_MINUTES).optional().describe('Work, per occurrence if recurring'),
  end_criterion: sentences.optional(),
  recurrence: text(300).optional().describe('Rule of RFC 5545 with COUNT or UNTIL'),
  measure: z
    .object({
      unit: line,
      from: z.number(),
      targets: z.array(z.object({ value: z.number(), by: day.optional() })).max(100),
    })
    .optional(),
  agent: line.optional().describe('Agent that does the task when the plan is run'),
});

const dependency = z.object({
  from: id,
  to: id,
  kind: z.enum(dependencyKinds),
  lag: z
    .object({
      amount: z.int().describe('Negative: a lead'),
      unit: z.enum(['minutes', 'hours', 'days']),
      time: z.enum(['working', 'elapsed']).describe('Whether closed time counts'),
    })
    .default({ amount: 0, unit: 'minutes', time: 'working' }),
});
const dependencies = z.array(dependency).max(MAX_DEPENDENCIES);

const roadmapInput = z.object({
  phases: z
    .array(
      z.object({
        node: id.describe('L1 node'),
        may_overlap: z.boolean().default(false),
        milestones: z.array(z.object({ node: id, due: day.optional() })).max(MAX_NODES),
        tasks: z.array(id).max(MAX_NODES).describe('Its L3 and L4 nodes, in order'),
      }),
    )
    .max(100),
  dependencies: dependencies.optional().describe('Absent: those of the last dependency_resolver'),
  options_tried: z
    .array(z.object({ id, title: line, reason: sentences }))
    .min(2)
    .max(10),
  choice: z.object({ option: id, reason: sentences }),
  confidence,
});

const ideas = z
  .array(z.object({ title: line, description: sentences }))
  .min(1)
  .max(10);
const stage = z.enum(['outline', 'roadmap', 'schedule']);

/** Tools of the planner, and the controllers that decide how its phases end. */
export const planningSpec = declarePack('planning', {
  open_session: {
    ...controller,
    description: 'Opens the session of a plan: its goal, its person and the policy that applies.',
    input: z.object({}),
  },
  context_elicitor: {
    ...inline,
    description:
      'Records what is known about the goal: dates, working hours, capacity, facts. Names the questions that are open; which of them the person is asked depends on their preferences. Ends the stage that collects the context; while an outline is drafted, it records what the person changes.',
    input: contextInput,
  },
  preference_probe: {
    ...inline,
    description:
      'Records how the person wants to be dealt with, from their own words, such as "be brief today". Without overrides it asks once whether they prefer it concise or conversational.',
    input: z.object({ overrides: overrides.optional(), words: sentences.optional(), confidence }),
  },
  brainstormer: {
    ...inline,
    description: 'Records a few ideas for the goal: short, actionable, different from one another.',
    input: z.object({ ideas, confidence }),
  },
  pattern_selector: {
    ...inline,
    description:
      'Selects the pattern of the plan: the nearest canonical one by the features of the goal, or a proposal where none fits.',
    input: patternInput,
  },
  node_generator: {
    ...inline,
    description:
      'Records the outline: its phases, milestones and tasks as a tree. Ends the stage if the outline is good enough.',
    input: z.object({ nodes: z.array(node).min(1).max(MAX_NODES), confidence }),
  },
  grammar_validator: {
    ...inline,
    description: 'Validates the artifact of the stage: violations, fixes and instructions.',
    input: z.object({ confidence: confidence.optional() }),
  },
  option_crafter: {
    ...inline,
    description: 'Records the variants that the person can choose from, and how they differ.',
    input: z.object({
      options: z
        .array(z.object({ id, title: line, description: sentences }))
        .min(2)
        .max(3),
      confidence,
    }),
  },
  roadmap_builder: {
    ...inline,
    description:
      'Records the roadmap: phases in order, milestones, dependencies, the options that were tried and the choice. Ends the stage.',
    input: roadmapInput,
  },
  summarizer: {
    ...inline,
    description: 'Writes the message to the person: what the plan is or what is asked, with one call to action.',
    input: z.object({ text: text(4_000), call_to_action: text(500), confidence }),
  },
  approval_handler: {
    ...controller,
    result,
    traits: ['system'],
    description: 'Asks the person to approve a part of the plan, named by its kind, job and content hash.',
    input: z.object({ kind: line, job: line, content_hash: z.string().regex(/^[0-9a-f]{64}$/), summary: text(4_000) }),
  },
  assess_context: {
    ...controller,
    description: 'Decides whether enough is known to draft the outline.',
    input: z.object({}),
  },
  assess_stage: {
    ...controller,
    description:
      'Computes the confidence of a draft and decides whether it is validated, tried again or shown to the person.',
    input: z.object({ stage }),
  },
  validate_artifact: {
    ...controller,
    description: 'Validates the artifact of a stage and decides what follows.',
    input: z.object({ stage }),
  },
  request_approval: {
    ...controller,
    description: 'Asks the person for the approval that is due and decides what follows from the reply.',
    input: z.object({}),
  },
  clarify: {
    ...controller,
    description: 'Asks the person what the plan waits for and decides where it continues.',
    input: z.object({ code: z.enum(['daily_cap', 'turn_cost']).optional() }),
  },
});

/** Tools of the planner that compute for a long time, so they run outside the workers. */
export const schedulingSpec = declarePack('scheduling', {
  dependency_resolver: {
    ...remote,
    description:
      'Checks dependencies: cycles, contradictions, redundant links, earliest and latest times, the critical path.',
    input: z.object({ dependencies, confidence }),
  },
  schedule_generator: {
    ...remote,
    description:
      'Computes the schedule from the roadmap, the calendar and the capacity, or proves that there is none. Ends the stage.',
    input: z.object({ confidence }),
  },
  portfolio_probe: {
    ...remote,
    effect: 'idempotent',
    result: portfolioResult,
    description:
      'Reads the other approved plans of the person: conflicts with the schedule, the load per day and week, and times to which tasks could move. The schedule is then computed around them.',
    input: z.object({ confidence: confidence.optional() }),
  },
  portfolio_recheck: {
    ...remote,
    effect: 'idempotent',
    traits: ['system'],
    result: portfolioResult,
    description: 'Reads the other approved plans of the person again when they have approved the schedule.',
    input: z.object({}),
  },
});
