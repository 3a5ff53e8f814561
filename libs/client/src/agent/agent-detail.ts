import { wellFormedText } from '@phaseline/contracts';
import { z } from 'zod';
import { agentShape, definitionProblemSchema } from './agent-list.js';

/** Response of `GET /v1/agents/:agent`: what new jobs of the agent get. */
export const agentDetailSchema = z
  .object({
    ...agentShape,
    /** File of its definition. */
    file: z.string(),
    /** Definitions that it extends, nearest first. */
    extends: z.array(z.string()),
    /** Name of the model profile per kind of phase. */
    models: z.object({ strategic: z.string(), tactical: z.string() }),
    /** Names of the tools by group, such as `workspace`. */
    tools: z.record(z.string(), z.array(z.string())),
    /** Tools whose calls a person decides. */
    approvals: z.array(z.string()),
    /** The guards in its folder. Those of tenants and of the installation apply to its jobs too. */
    guards: z.array(z.object({ name: z.string(), kind: z.string(), stage: z.string(), owner: z.string() })),
    instructions: z.string(),
    /** The definition with all defaults, as jobs record it, without its guards. */
    definition: z.record(z.string(), z.unknown()),
    /** Errors in its changed files, if they are invalid. */
    problems: z.array(definitionProblemSchema),
    /** What is valid but probably not intended. */
    warnings: z.array(definitionProblemSchema),
  })
  .meta({ id: 'AgentDetail' });
export type AgentDetail = z.infer<typeof agentDetailSchema>;

/** Limits of the files of an agent that is validated. */
const MAX_FILES = 50;
const MAX_CHARACTERS = 1_000_000;

/** Body of `POST /v1/agents/validate`. */
export const validateAgentRequestSchema = z
  .strictObject({
    /** Name of the agent: that of its folder. */
    name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes'),
    /** Text of the files by their path in the folder of the agent. `agent.yaml` is needed; without `instructions.md`, a placeholder is used. */
    files: z
      .record(
        z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}(?:\/[A-Za-z0-9][\w.-]{0,99}){0,3}$/, 'expected a relative path'),
        wellFormedText(),
      )
      .refine((files) => Object.keys(files).length <= MAX_FILES, `expected at most ${MAX_FILES} files`)
      .refine(
        (files) => Object.values(files).reduce((sum, text) => sum + text.length, 0) <= MAX_CHARACTERS,
        `expected at most ${MAX_CHARACTERS} characters in all files`,
      ),
  })
  .meta({ id: 'ValidateAgentRequest' });
export type ValidateAgentRequest = z.infer<typeof validateAgentRequestSchema>;

/** Response of `POST /v1/agents/validate`. */
export const agentValidationSchema = z
  .object({
    /** Whether jobs could use the agent. Warnings do not count. */
    passed: z.boolean(),
    problems: z.array(definitionProblemSchema),
    warnings: z.array(definitionProblemSchema),
  })
  .meta({ id: 'AgentValidation' });
export type AgentValidation = z.infer<typeof agentValidationSchema>;
