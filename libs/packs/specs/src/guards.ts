import { jsonObjectSchema } from '@phaseline/basics';
import { callIdSchema } from '@phaseline/contracts';
import { guardDecisions, hookPoints, systemTools } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const count = z.int().min(0);

/** What one command guard decided. A guard that had nothing to say is absent. */
const commandDecisionSchema = z.strictObject({
  /** Name of the guard. */
  guard: z.string(),
  decision: z.enum(guardDecisions),
  reason: z.string().exactOptional(),
  /** All arguments of the call as the guard wants them, or `{content}` with the text that replaces a result. */
  amended: jsonObjectSchema.exactOptional(),
  /** A text for the model. */
  context: z.string().exactOptional(),
  /** A text for people. */
  message: z.string().exactOptional(),
  /** Why the guard wants the phase to stop. */
  stop: z.string().exactOptional(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
  durationMs: count,
});

/** What command guards are asked about, beside the call that the log has. */
const occasionSchema = z.strictObject({
  /** At TaskCompleted: the todo that is claimed. */
  task: z
    .strictObject({ id: z.string(), subject: z.string(), description: z.string().exactOptional() })
    .exactOptional(),
  /** At Stop and SubagentStop: whether a guard refused the end before this one. */
  isRepeated: z.boolean().exactOptional(),
  lastMessage: z.string().exactOptional(),
  /** At UserPromptSubmit: the message of the person. */
  prompt: z.string().exactOptional(),
  /** At SessionStart: why the phase begins. */
  source: z.enum(['startup', 'resume', 'fork']).exactOptional(),
  /** At Notification. */
  message: z.string().exactOptional(),
  title: z.string().exactOptional(),
  type: z.string().exactOptional(),
});

/** The tool that asks command guards. Only the system calls it, and it belongs to no agent. */
export const guardsSpec = declarePack('guards', {
  [systemTools.guard]: {
    lane: 'remote',
    description: 'Asks command guards of the phase, side by side, in its working directory.',
    input: z.strictObject({
      point: z.enum(hookPoints),
      /** Names of the guards. */
      guards: z.array(z.string()).min(1),
      /** The call that they are asked about. */
      callId: callIdSchema.optional(),
      occasion: occasionSchema.optional(),
    }),
    result: z.strictObject({ decisions: z.array(commandDecisionSchema) }),
    effect: 'idempotent',
    timeoutMs: 900_000,
    traits: ['system', 'not_nestable'],
  },
});
