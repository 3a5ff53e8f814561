import { jsonObjectSchema } from '@phaseline/basics';
import { storedChecksSchema } from '@phaseline/checks';
import { callIdSchema, jobIdSchema, streamIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { storedDeliverableSchema, storedDemandedFileSchema } from '../agent/deliverable.js';
import { allowanceSchema } from '../budget/allowance.js';
import { defineEvent } from '../event/define-event.js';
import { editedResponseSchema, recordingSchema } from '../fork/fork-mode.js';
import { obligationSchema } from '../todo/obligation.js';
import { rewindReasonSchema } from '../todo/todo-events.js';
import { handoffSchema } from '../handoff/handoff-events.js';
import { phaseItemSchema } from '../item/item.js';
import { precedentSchema } from '../learning/precedent.js';
import { lastAttemptSchema } from '../reflexion/last-attempt.js';
import { receivedReturnSchema } from '../return/return-events.js';
import { storedReturnSettingsSchema } from '../return/return-settings.js';
import { todoSchema } from '../todo/todo.js';
import { gateNames, phaseKinds } from '../workflow/workflow.js';
import { treeSchema } from './file-events.js';
import { termsSchema } from './terms.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A changed file with the content that it had before; absent for a new file. */
const replacedFileSchema = z.object({ path: z.string(), before: sha256.optional() });
export type ReplacedFile = z.infer<typeof replacedFileSchema>;

const identitySchema = z.object({
  jobId: jobIdSchema,
  phase: z.int().min(1),
  attempt: z.int().min(1),
  /** State of the workflow. */
  state: z.string(),
  kind: z.enum(phaseKinds),
  name: z.string(),
  agent: z.object({ name: z.string(), displayName: z.string(), description: z.string() }),
  /** Set if the agent is not that of the job but one that the state names. */
  isSubagent: z.literal(true).optional(),
  /** Priority of the job on the queues: 0 or absent first, then lower numbers before higher ones. */
  priority: z.int().min(0).optional(),
});

const planSchema = z.object({
  /** Objective of the phase, as described in the plan of the previous phase. */
  objective: z.string().optional(),
  /** Files that the prompt contains, as they are in the tree of the beginning. */
  shows: z.array(z.string()).min(1).optional(),
  todos: z.array(todoSchema),
  /** Names or paths of the outputs that the phase must produce. Reserved for plans of several phases; nothing writes it yet. */
  outputs: z.array(z.string()).optional(),
  /** Minimum and maximum number of todos of the next list, if this phase plans it. */
  limits: z.object({
    min: z.int(),
    max: z.int(),
    /** Whether each todo of the list must name its outputs. */
    requireOutputs: z.boolean().optional(),
    /** What files must be, by path or glob, that planned todos name as outputs. */
    outputs: z.array(storedDemandedFileSchema).min(1).optional(),
  }),
  /** Todos of earlier lists that the next plan has to account for. */
  obligations: z.array(obligationSchema).min(1).optional(),
  /** Number of lists that the job has abandoned so far. */
  rewinds: z.int().min(1).optional(),
  /** The list that was abandoned last, until another list replaces it. */
  rewound: rewindReasonSchema.extend({ phase: z.int().min(1) }).optional(),
  /** Files that must exist before the job can be completed, and what each of them must be. */
  deliverables: z.array(storedDeliverableSchema),
  /** What the phase returns at its end, if its state names its agent. */
  returns: storedReturnSettingsSchema.optional(),
  /** What the phase before returned. */
  received: receivedReturnSchema.optional(),
  /** The item of the loop that the phase works on, with what became of it so far. */
  item: phaseItemSchema.optional(),
  /**
   * Files that earlier phases changed for the item, with the content that each had before; absent for a new file. A judge of the item sees
   * these changes too.
   */
  itemChanges: z.array(replacedFileSchema).min(1).optional(),
  /** Set if the phase hands in the items of the loop: the verifiers that may prove them. */
  listing: z.object({ verifiers: z.array(z.object({ name: z.string(), kind: z.string().optional() })) }).optional(),
  /** Verifiers of the kind `health`, which run before the first step. */
  health: z.array(z.string()).min(1).optional(),
  /** The failed attempt that this phase makes again, if its agent reflects on it. */
  lastAttempt: lastAttemptSchema.optional(),
  /** Promoted learning traces that fit the task, the best match first. */
  precedents: z.array(precedentSchema).min(1).optional(),
  /** What another agent handed over to the phase. */
  handoff: handoffSchema.optional(),
  /**
   * Rules by which claims are checked; absent in phases that began before claims were checked. With 2, todos are also held to the
   * deliverables that they name, and the checks of a plan to what a plan may demand.
   */
  claimRules: z.literal([1, 2]).optional(),
  /** Whether the ended list is stored in the workspace. */
  archive: z.boolean(),
  /** What decides how the phase ends, if it has no todos. */
  controller: z
    .object({
      tool: z.string(),
      arguments: jsonObjectSchema,
      /** When it decides; if absent, at once. */
      after: storedChecksSchema.optional(),
    })
    .optional(),
  /** Place of the phase in the plan of the job, counted from 1, if the plan lists its phases and names this one. */
  number: z.int().min(1).optional(),
  /** Number of phases that the plan lists. */
  total: z.int().min(1).optional(),
});

const outcomeSchema = z.object({
  outcome: z.string(),
  gates: z.array(z.enum(gateNames)),
  /** What must hold in addition to the gates. */
  checks: storedChecksSchema.optional(),
  /** What must hold for the outcome to be chosen, if it is chosen by value. */
  when: storedChecksSchema.optional(),
  /** Whether it may be returned while todos are open. */
  early: z.literal(true).optional(),
});

/** Outcomes that the phase can end with. */
const routesSchema = z.object({
  /** Outcome when the last todo is completed; absent if a controller decides. */
  finish: outcomeSchema.optional(),
  /** Outcome of `job_complete`, where the state allows it. */
  completion: outcomeSchema.optional(),
  /** Outcome when the last todo is completed and the plan has no phase left. */
  exhausted: outcomeSchema.optional(),
  /** Outcome when the list is abandoned, where the state allows it. */
  rewind: outcomeSchema.optional(),
  /** Outcomes that a return may name, in addition to `finish`. */
  returned: z.array(outcomeSchema).min(1).optional(),
  /** Outcomes that are chosen by value once the work is done: the first whose `when` holds. */
  byValue: z.array(outcomeSchema).min(1).optional(),
});

export const phaseStarted = defineEvent(
  'PhaseStarted',
  10,
  'A phase began. The event contains everything that is needed to fold the phase by itself.',
  z.object({
    identity: identitySchema,
    terms: termsSchema,
    plan: planSchema,
    routes: routesSchema,
    workspace: z.object({
      tree: treeSchema,
      /** Paths of the files that the system wrote, restored or removed since the phase before, for readers that follow files by event. */
      changed: z.array(z.string()).min(1).optional(),
      /** In a later attempt: files that calls of the attempts before it changed. They count as changed in this one too. */
      attempted: z
        .object({
          /** With the content before the first attempt. */
          phase: z.array(replacedFileSchema),
          /** With the content before the todo that is still open began. */
          todo: z.array(replacedFileSchema),
        })
        .optional(),
    }),
    /** Messages that people sent to the agent while no phase was active. */
    notices: z.array(z.string()).optional(),
    /** Why the attempt before this one failed; absent in a first attempt. */
    previousFailure: z.object({ phase: z.int().min(1), code: z.string(), message: z.string() }).optional(),
    /** Set only in a fork that does not run live. */
    recording: recordingSchema.optional(),
  }),
);

export const phaseForked = defineEvent(
  'PhaseForked',
  9,
  'The phase continues in a fork from a point of the same phase of another job. Earlier events are read from that stream.',
  z.object({
    jobId: jobIdSchema,
    phase: z.int().min(1),
    /** The last event of the parent's stream that the fork shares. Its hash covers all events before it. */
    parent: z.object({ streamId: streamIdSchema, version: z.int().min(1), hash: sha256 }),
    /** Terms that differ from those at the start of the phase; absent members are unchanged. */
    changes: z.object({
      identity: identitySchema.pick({ agent: true, isSubagent: true }).exactOptional(),
      terms: termsSchema.omit({ allowance: true }).exactPartial().exactOptional(),
      plan: planSchema
        .pick({ limits: true, deliverables: true, archive: true, returns: true, listing: true })
        .exactOptional(),
      routes: routesSchema.exactOptional(),
    }),
    allowance: allowanceSchema,
    recording: recordingSchema.optional(),
    /** Replaces the next answer; the model is not called for it. */
    editedResponse: editedResponseSchema.optional(),
    /** Until when calls that wait for a person may be approved. */
    approvalsExpireAt: z.iso.datetime().optional(),
    /** When the open questions were asked again: each deadline is counted from this time. */
    questionsAskedAt: z.iso.datetime().optional(),
    /** The calls that wait for a person in the fork too. */
    waiting: z
      .array(
        z.object({
          kind: z.enum(['approval', 'question']),
          callId: callIdSchema,
          name: z.string(),
          lane: z.enum(['inline', 'remote']),
          deadlineAt: z.iso.datetime(),
        }),
      )
      .min(1)
      .optional(),
    /** Ids of the todos that are blocked in the fork too, for projections, which do not read the parent. */
    blockedTodos: z.array(z.int()).min(1).optional(),
  }),
);
