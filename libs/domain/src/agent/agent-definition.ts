import { z } from 'zod';
import type { PhaseKind, WorkflowState } from '../workflow/workflow.js';
import { stuckSettingsSchema } from '../stuck/stuck-settings.js';
import { onDemandOf, SEARCH_TOOLS } from '../discovery/on-demand-tools.js';
import { READ_SKILL, skillSchema } from './skill.js';
import { mcpToolNames, toolSettingsSchema } from './tool-settings.js';

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
  /** Model calls in one phase. */
  steps: z.int().min(1).max(100_000).default(200),
  /** How often a model that stops while todos are open is told to go on. */
  nudges: z.int().min(0).max(100).default(3),
  /** How often a gate may refuse the end of one phase. */
  gateRefusals: z.int().min(0).max(100).default(5),
  /** Calls in a row that could not be run: malformed, unknown, not offered, cut. */
  badCalls: z.int().min(1).max(1_000).default(8),
  /** How often in a row the same call, or the same phase, may fail in the same way. */
  identicalFailures: z.int().min(1).max(1_000).default(5),
  /** How many workers in a row may be lost during one model call. */
  takeovers: z.int().min(1).max(1_000).default(8),
  /** Calls taken out of one answer; the rest is refused. */
  callsPerAnswer: z.int().min(1).max(128).default(32),
  /** A longer tool result is cut for the model; the notice says so. */
  resultCharacters: z.int().min(200).max(1_000_000).default(24_000),
  /** How many lists of one job may be given up; 5 where it is left out. One more, and the job fails with the issue. */
  rewinds: z.int().min(0).max(1_000).optional(),
});
export type PhaseLimits = z.infer<typeof phaseLimitsSchema>;

/** How the conversation of a phase is kept short. Tokens are counted as in the prompt. */
export const contextSettingsSchema = z.strictObject({
  /** Results of so many of the latest calls are never cleared. */
  keepResults: z.int().min(1).max(1_000).default(5),
  /** Older results are cleared together once they take this much: seldom, because each time costs the server's prompt cache. */
  clearTokens: z.int().min(500).max(10_000_000).default(12_000),
  /** Before a call that would pass this, or the model's own limit if it is lower, the conversation is summarised. */
  summariseTokens: z.int().min(2_000).max(10_000_000).default(80_000),
  /** Where the todo list stands: behind the system prompt, or as the last thing before the answer. */
  todoList: z.enum(['after-system', 'last']).default('after-system'),
});
export type ContextSettings = z.infer<typeof contextSettingsSchema>;

/** Tools whose calls wait for a person. */
export const approvalsSchema = z.strictObject({
  tools: z.array(toolName).default([]),
  /** A call that nobody judged for this long, in milliseconds, is refused; a day by default. */
  expireAfterMs: z.int().min(1_000).max(31_536_000_000).default(86_400_000),
});
export type Approvals = z.infer<typeof approvalsSchema>;

/** What a submission must bring. An agent without its input would spend money to find out that there is none. */
export const requiredInputsSchema = z.strictObject({
  /** Least number of documents. */
  documents: z.int().min(1).max(50).optional(),
  /** True: the submission must say in words what is to be done. */
  instructions: z.boolean().optional(),
  /** Names of parameters that must be given. */
  parameters: z.array(z.string().min(1).max(100)).max(100).optional(),
});
export type RequiredInputs = z.infer<typeof requiredInputsSchema>;

/** An agent as data: `agents/<name>/agent.yaml`. */
export const agentDefinitionSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes'),
  displayName: z.string().min(1),
  description: z.string().default(''),
  workflow: z.string().default('phase-alternation'),
  /** A file beside the definition; it becomes `instructions.md` of every job. */
  instructions: z.string().min(1).default('instructions.md'),
  /** The model profile of each phase kind, by name. */
  models: z
    .strictObject({ strategic: z.string().default('default'), tactical: z.string().default('default') })
    .prefault({}),
  tools: z.strictObject({
    /** Offered in every phase. */
    workspace: z.array(toolName).default([]),
    strategic: z.array(toolName).default(['todo_write', 'todo_complete', 'job_complete']),
    tactical: z.array(toolName).default(['todo_complete', 'todo_rewind']),
    /** What the agent is for; offered in tactical phases only. */
    domain: z.array(toolName).default([]),
    /** Which of all these are not in the prompt until the agent has found them with `search_tools`. */
    onDemand: z.array(toolName).optional(),
  }),
  /** Written by the system when the definition is loaded, from the folder `skills` beside it. */
  skills: z.array(skillSchema).optional(),
  /** Files that must exist before the job may be completed. */
  deliverables: z.array(workspacePath).default([]),
  todos: z
    .strictObject({ min: z.int().min(1).default(5), max: z.int().min(1).max(100).default(20) })
    .refine(({ min, max }) => min <= max, "expected 'min' not above 'max'")
    .prefault({}),
  limits: phaseLimitsSchema.prefault({}),
  context: contextSettingsSchema.prefault({}),
  approvals: approvalsSchema.prefault({}),
  /** When a phase counts as stuck, and what is done then; the defaults where it is left out. */
  stuck: stuckSettingsSchema.optional(),
  /** What some tools are told beside their arguments. */
  settings: toolSettingsSchema.optional(),
  budgets: budgetsSchema.prefault({}),
  /** Inputs without which a submission is refused; none where it is left out. */
  requires: requiredInputsSchema.optional(),
  /** Whether a job begins with what earlier jobs of the agent and tenant noted, which nobody has judged; it does not where this is left out. */
  carryExperiences: z.boolean().optional(),
});
export type AgentDefinition = z.infer<typeof agentDefinitionSchema>;

/** Ends the job; offered only where the workflow's state knows an outcome for it. */
export const JOB_COMPLETE = 'job_complete';
/** Gives the list up; offered only where the workflow's state knows an outcome for it. */
export const TODO_REWIND = 'todo_rewind';

/** The names of the tools that a phase offers: workspace tools, those of its kind, and domain tools in tactical phases only. */
export function offeredTools(agent: AgentDefinition, kind: PhaseKind, state: WorkflowState): readonly string[] {
  const { workspace, strategic, tactical, domain } = agent.tools;
  const own = kind === 'strategic' ? [...workspace, ...strategic] : [...workspace, ...tactical, ...domain];
  const names = [...own, ...(agent.skills?.length ? [READ_SKILL] : []), ...mcpToolNames(agent.settings, kind)];
  const allowed = names.filter(
    (name) =>
      (name !== JOB_COMPLETE || state.completion !== undefined) && (name !== TODO_REWIND || state.rewind !== undefined),
  );
  const offered = [...new Set(allowed)];
  return onDemandOf(agent, offered).length > 0 ? [...new Set([...offered, SEARCH_TOOLS])] : offered;
}
