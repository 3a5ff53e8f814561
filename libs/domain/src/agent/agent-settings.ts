import { reasoningEfforts, toolSettingsSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { jsonObjectSchema } from '@phaseline/basics';
import { protectedFieldsSchema } from '../workspace/protected-fields.js';
import { judgesSchema } from '../judge/judge-settings.js';
import { stuckSettingsSchema } from '../stuck/stuck-settings.js';

export const toolName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected the name of a tool');

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
  /** Maximum calls per response. Further calls are denied. */
  callsPerResponse: z.int().min(1).max(128).default(32),
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
const approvalsSchema = z.strictObject({
  tools: z.array(toolName).default([]),
  /** Milliseconds after which a call without a decision is refused; one day by default. */
  expireAfterMs: z.int().min(1_000).max(31_536_000_000).default(86_400_000),
});

/** Maximum characters of a prompt that replaces a shipped one. */
export const MAX_PROMPT_CHARACTERS = 32_000;
const promptText = z.string().min(1).max(MAX_PROMPT_CHARACTERS);

/** Texts that replace shipped ones in the prompts of an agent. */
const promptTextsSchema = z.strictObject({
  /** Replaces the shipped rules of a phase kind in the system prompt. The parts with the state of the job are kept. */
  strategic: promptText.optional(),
  tactical: promptText.optional(),
  /** Replaces the shipped request to summarise a conversation. */
  summary: promptText.optional(),
});

const reasoningEffort = z.enum(reasoningEfforts);
const temperature = z.number().min(0).max(2);

/** Folders that the system writes or fills; they have a purpose already. */
const SYSTEM_FOLDERS = [
  'archive',
  'documents',
  'errors',
  'guard_sets',
  'skills',
  'sources',
  'tool_results',
  'vocabularies',
];

const folderSchema = z.strictObject({
  path: z
    .string()
    .max(200)
    .regex(
      /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*)(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*\/?$/,
      "expected a folder such as 'notes/'",
    )
    .refine((path) => !SYSTEM_FOLDERS.includes(path.split('/')[0]!), {
      error: `expected a folder of the agent; ${SYSTEM_FOLDERS.join(', ')} belong to the system`,
    }),
  /** One sentence that says what belongs there. */
  purpose: z.string().trim().min(1).max(500),
});

/** How the workspace of a job is arranged, and the folder in which its commands run. */
const workspaceSettingsSchema = z.strictObject({
  /** Folders that exist from the start. Each contains a README.md with its purpose, and the prompt lists them. */
  structure: z
    .array(folderSchema)
    .max(50)
    .refine((folders) => new Set(folders.map(({ path }) => path.replace(/\/$/, ''))).size === folders.length, {
      error: 'names a folder twice',
    })
    .default([]),
  /** Names of folders, anywhere in the workspace, that commands fill and can fill again. They stay on disk and are never recorded. */
  caches: z
    .array(z.string().regex(/^[^/\0]{1,200}$/, 'expected the name of a folder'))
    .max(100)
    .default(['node_modules', '.venv', '__pycache__', 'target', '.cache']),
  /** What happens to a file that was changed in the working folder by no command: it is recorded as such, or restored. */
  outsideEdits: z.enum(['take', 'refuse']).default('refuse'),
});
export type WorkspaceSettings = z.infer<typeof workspaceSettingsSchema>;
export const DEFAULT_WORKSPACE_SETTINGS: WorkspaceSettings = workspaceSettingsSchema.parse({});

/**
 * Settings of an agent that apply to each of its phases. Declared only here: they become members of `agent.yaml`, of
 * `PhaseStarted.terms`, and of what a fork changes.
 */
export const agentSettings = {
  limits: phaseLimitsSchema.prefault({}),
  context: contextSettingsSchema.prefault({}),
  approvals: approvalsSchema.prefault({}),
  /** When a phase counts as stuck, and what is done then; `DEFAULT_STUCK_SETTINGS` if absent. */
  stuck: stuckSettingsSchema.optional(),
  /** The workspace and its caches; `DEFAULT_WORKSPACE_SETTINGS` if absent. */
  workspace: workspaceSettingsSchema.optional(),
  /** Settings passed to tools in addition to their arguments, including the tools of MCP servers. */
  settings: toolSettingsSchema.optional(),
  /** Files, and fields of files, that no call of the agent may change. */
  protected: protectedFieldsSchema.optional(),
  /** Models that may object to claims, by name. */
  judges: judgesSchema.optional(),
  /** Whether an attempt after a failed one begins with a reflection by the model; false by default. */
  reflexion: z.boolean().optional(),
  /** Filled in when the definition is loaded, from the files that `prompts` names. */
  promptTexts: promptTextsSchema.optional(),
  /** Filled in when the definition is loaded, from the folder `schemas`: the JSON Schemas that checks name, by their path. */
  schemas: z.record(z.string(), jsonObjectSchema).optional(),
  /** Reasoning effort requested from the model, by phase kind; not sent if absent. */
  reasoningEffort: z
    .strictObject({ strategic: reasoningEffort.optional(), tactical: reasoningEffort.optional() })
    .optional(),
  /** Sampling temperature, by phase kind; the value of the model profile if absent. */
  temperature: z.strictObject({ strategic: temperature.optional(), tactical: temperature.optional() }).optional(),
};

export type AgentSettings = z.infer<z.ZodObject<typeof agentSettings>>;

/** The settings of an agent, for the terms of a phase. */
export function pickAgentSettings(agent: AgentSettings): AgentSettings {
  const names = Object.keys(agentSettings) as (keyof AgentSettings)[];
  const members = names.filter((name) => agent[name] !== undefined).map((name) => [name, agent[name]]);
  // The members are those of the type; the type of `fromEntries` does not show this.
  return Object.fromEntries(members) as AgentSettings;
}
