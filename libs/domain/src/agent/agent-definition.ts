import { z } from 'zod';
import { stuckSettingsSchema } from '../stuck/stuck-settings.js';
import { skillSchema } from './skill.js';
import { toolSettingsSchema } from '@phaseline/contracts';

const toolName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected the name of a tool');
const workspacePath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^/\\\0][^\\\0]*$/, 'expected a relative path');

export const budgetsSchema = z.strictObject({
  maxCostUsd: z.number().positive().optional(),
  maxTokens: z.int().positive().optional(),
  maxPhases: z.int().positive().optional(),
  maxWallTimeMs: z.int().positive().optional(),
});
export type Budgets = z.infer<typeof budgetsSchema>;

export const phaseLimitsSchema = z.strictObject({
  /** Maximum model calls per phase. */
  steps: z.int().min(1).max(100_000).default(200),
  /** Number of times a model that stops while todos are open is told to continue. */
  nudges: z.int().min(0).max(100).default(3),
  /** Number of times gates may reject the end of a phase. */
  gateRejections: z.int().min(0).max(100).default(5),
  /** Number of consecutive calls that could not be run: malformed, unknown, not offered or cut off. */
  deniedCalls: z.int().min(1).max(1_000).default(8),
  /** Number of consecutive times the same call, or the same phase, may fail in the same way. */
  identicalFailures: z.int().min(1).max(1_000).default(5),
  /** Number of workers that may be lost in a row during one model call. */
  takeovers: z.int().min(1).max(1_000).default(8),
  /** Maximum calls per answer. Further calls are denied. */
  callsPerAnswer: z.int().min(1).max(128).default(32),
  /** Maximum characters of a tool result in the conversation. A longer one is cut, with a notice. */
  resultCharacters: z.int().min(200).max(1_000_000).default(24_000),
  /** Number of lists that one job may give up; 5 by default. The next one fails the job. */
  rewinds: z.int().min(0).max(1_000).optional(),
});
export type PhaseLimits = z.infer<typeof phaseLimitsSchema>;

/** How the conversation of a phase is shortened. Tokens are counted as in the prompt. */
export const contextSettingsSchema = z.strictObject({
  /** Number of latest calls whose results are never cleared. */
  keepResults: z.int().min(1).max(1_000).default(5),
  /** Tokens of older results at which they are cleared together. Clearing is kept rare because it invalidates the server's prompt cache. */
  clearTokens: z.int().min(500).max(10_000_000).default(12_000),
  /** Tokens above which the conversation is summarised before the next call, or the model's limit if that is lower. */
  summariseTokens: z.int().min(2_000).max(10_000_000).default(80_000),
  /** Position of the todo list: after the system prompt, or last before the answer. */
  todoList: z.enum(['after-system', 'last']).default('after-system'),
});
export type ContextSettings = z.infer<typeof contextSettingsSchema>;

/** Tools whose calls require approval by a person. */
export const approvalsSchema = z.strictObject({
  tools: z.array(toolName).default([]),
  /** Milliseconds after which a call without a decision is refused; one day by default. */
  expireAfterMs: z.int().min(1_000).max(31_536_000_000).default(86_400_000),
});

/** Inputs that a submission must contain. Without them the agent would spend money only to find that its input is missing. */
const requiredInputsSchema = z.strictObject({
  /** Minimum number of documents. */
  documents: z.int().min(1).max(50).optional(),
  /** Whether the submission must contain instructions. */
  instructions: z.boolean().optional(),
  /** Names of parameters that must be given. */
  parameters: z.array(z.string().min(1).max(100)).max(100).optional(),
});
export type RequiredInputs = z.infer<typeof requiredInputsSchema>;

/** Definition of an agent, loaded from `agents/<name>/agent.yaml`. */
export const agentDefinitionSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes'),
  displayName: z.string().min(1),
  description: z.string().default(''),
  workflow: z.string().default('phase-alternation'),
  /** File next to the definition that becomes `instructions.md` in every job. */
  instructions: z.string().min(1).default('instructions.md'),
  /** Name of the model profile per phase kind. */
  models: z
    .strictObject({ strategic: z.string().default('default'), tactical: z.string().default('default') })
    .prefault({}),
  tools: z.strictObject({
    /** Offered in every phase. */
    workspace: z.array(toolName).default([]),
    strategic: z.array(toolName).default(['todo_write', 'todo_complete', 'job_complete']),
    tactical: z.array(toolName).default(['todo_complete', 'todo_rewind']),
    /** Tools for the actual work; offered in tactical phases only. */
    domain: z.array(toolName).default([]),
    /** Which of these tools enter the prompt only after the agent has found them with `search_tools`. */
    onDemand: z.array(toolName).optional(),
  }),
  /** Filled in when the definition is loaded, from the folder `skills` next to it. */
  skills: z.array(skillSchema).optional(),
  /** Files that must exist before the job can be completed. */
  deliverables: z.array(workspacePath).default([]),
  todos: z
    .strictObject({ min: z.int().min(1).default(5), max: z.int().min(1).max(100).default(20) })
    .refine(({ min, max }) => min <= max, "expected 'min' not above 'max'")
    .prefault({}),
  limits: phaseLimitsSchema.prefault({}),
  context: contextSettingsSchema.prefault({}),
  approvals: approvalsSchema.prefault({}),
  /** When a phase counts as stuck, and what is done then; defaults if absent. */
  stuck: stuckSettingsSchema.optional(),
  /** Settings passed to tools in addition to their arguments. */
  settings: toolSettingsSchema.optional(),
  budgets: budgetsSchema.prefault({}),
  /** Inputs without which a submission is rejected; none if absent. */
  requires: requiredInputsSchema.optional(),
  /** Whether a job starts with the unreviewed experiences of earlier jobs of the agent and tenant; false by default. */
  carryExperiences: z.boolean().optional(),
});
export type AgentDefinition = z.infer<typeof agentDefinitionSchema>;
/** A definition as written, without what the schema fills in. */
export type AgentDefinitionInput = z.input<typeof agentDefinitionSchema>;
