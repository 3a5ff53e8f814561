import { isTimeZone } from '@phaseline/basics';
import { z } from 'zod';
import { turnLimitsSchema } from '../budget/turn.js';
import { agentSettings, toolName } from './agent-settings.js';
import { deliverableSchema, demandedFileSchema } from './deliverable.js';
import { guardsSchema } from '../guard/guard.js';
import { skillSchema } from './skill.js';
import { startWhenSchema } from './start-when.js';
import { storedVerifierSchema } from './stored-verifier.js';
import { returnSettingsSchema } from '../return/return-settings.js';
import { toolFailuresSchema } from './tool-failures.js';

const fileName = z.string().min(1).max(500);

export const budgetsSchema = z.strictObject({
  maxCostUsd: z.number().positive().optional(),
  maxTokens: z.int().positive().optional(),
  maxPhases: z.int().positive().optional(),
  maxWallTimeMs: z.int().positive().optional(),
});
export type Budgets = z.infer<typeof budgetsSchema>;

const dailyBudgetSchema = z.strictObject({
  costUsd: z.number().positive(),
  /** Zone in which a day begins. */
  zone: z.string().refine(isTimeZone, 'expected a time zone such as Europe/Berlin').default('UTC'),
});

/** Inputs that a submission must contain. Without them the agent would spend money only to find that its input is missing. */
const requiredInputsSchema = z.strictObject({
  /** Minimum number of documents. */
  documents: z.int().min(1).max(50).optional(),
  /** Whether the submission must contain instructions. */
  instructions: z.boolean().optional(),
  /** Names of parameters that must be given. */
  parameters: z.array(z.string().min(1).max(100)).max(100).optional(),
  /** Name of the parameter that names the person for whom the job acts. Only who may act for others may name another one than themself. */
  person: z.string().min(1).max(100).optional(),
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
    ...toolFailuresSchema.shape,
    /** Which of these tools enter the prompt only after the agent has found them with `search_tools`. */
    onDemand: z.array(toolName).optional(),
  }),
  /** Rules that the agent is exempt from. No shipped agent is. */
  unsafe: z
    .strictObject({
      /** Whether tools may be offered in kinds of phases that they are not meant for. */
      phases: z.boolean().optional(),
    })
    .optional(),
  /** Files next to the definition whose texts replace shipped prompts. */
  prompts: z
    .strictObject({ strategic: fileName.optional(), tactical: fileName.optional(), summary: fileName.optional() })
    .optional(),
  /** Filled in when the definition is loaded, from the folder `skills` next to it. */
  skills: z.array(skillSchema).optional(),
  /** Filled in when the definition is loaded, from the folder `verifiers` next to it: commands that check the agent's work. */
  verifiers: z.array(storedVerifierSchema).optional(),
  /** Filled in when the definition is loaded, from the folder `guards` next to it. */
  guards: guardsSchema.optional(),
  /** How the agent's phases end where a state of a workflow names the agent. */
  returns: returnSettingsSchema.optional(),
  /** Files that must exist before the job can be completed, and what each of them must be. */
  deliverables: z.array(deliverableSchema).default([]),
  todos: z
    .strictObject({
      min: z.int().min(1).default(5),
      max: z.int().min(1).max(100).default(20),
      /** Whether each planned todo must name its outputs, and each plan its phase and objective. */
      requireOutputs: z.boolean().optional(),
      /** What a file must be, by path or glob, before a planned todo that names it as an output is done. */
      outputs: z.array(demandedFileSchema).min(1).max(50).optional(),
    })
    .refine(({ min, max }) => min <= max, "expected 'min' not above 'max'")
    .prefault({}),
  ...agentSettings,
  budgets: budgetsSchema.prefault({}),
  /** What all jobs of one person may spend on this and other agents with a daily budget in a calendar day; no limit if absent. */
  dailyBudget: dailyBudgetSchema.optional(),
  /** What the agent may do in a turn; no limits if absent. */
  turns: turnLimitsSchema.optional(),
  /** Inputs without which a submission is rejected; none if absent. */
  requires: requiredInputsSchema.optional(),
  /** Whether a job starts with the unreviewed experiences of earlier jobs of the agent and tenant; false by default. */
  carryExperiences: z.boolean().optional(),
  /** Whether no stored guard may be promoted that could apply to the agent, as audited or regulated use demands; false by default. */
  frozen: z.boolean().optional(),
  /** When the orchestrator submits jobs of this agent by itself; only on request if absent. */
  startWhen: startWhenSchema.optional(),
});
export type AgentDefinition = z.infer<typeof agentDefinitionSchema>;
/** The lists of tools of an agent by the name of their group. */
export function listToolGroups({
  tools,
}: AgentDefinition): readonly (readonly [group: string, names: readonly string[]])[] {
  return Object.entries(tools).flatMap(([group, names]) => (Array.isArray(names) ? [[group, names] as const] : []));
}

/** A definition as written, without the schema's defaults. */
export type AgentDefinitionInput = z.input<typeof agentDefinitionSchema>;
