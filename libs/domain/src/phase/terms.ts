import { z } from 'zod';
import { agentSettings } from '../agent/agent-settings.js';
import { guardsSchema } from '../guard/guard.js';
import { guardOverrideSchema } from '../guard/guard-events.js';
import { toolFailuresSchema } from '../agent/tool-failures.js';
import { allowanceSchema } from '../budget/allowance.js';

type WithoutDefaults<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodPrefault<infer Inner> ? Inner : Shape[Name];
};

/** Removes the defaults: an event contains every setting, and a default would look like a change that a fork makes. */
function withoutDefaults<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape): WithoutDefaults<Shape> {
  const members = Object.entries(shape).map(([name, member]) => [
    name,
    member instanceof z.ZodPrefault ? member.unwrap() : member,
  ]);
  // The type of `fromEntries` does not contain the names.
  return Object.fromEntries(members) as WithoutDefaults<Shape>;
}

/** Terms of a phase: the settings of its agent, its model, its tools and what it may spend. */
export const termsSchema = z.object({
  ...withoutDefaults(agentSettings),
  allowance: allowanceSchema,
  model: z.string(),
  toolFailures: toolFailuresSchema.optional(),
  tools: z.array(z.string()),
  /** Tools that enter the prompt only after a search found them. */
  onDemand: z.array(z.string()).optional(),
  /** Skills of the agent. The prompt has one line for each. */
  skills: z.array(z.object({ name: z.string(), description: z.string() })).optional(),
  /** Names of the verifiers of the agent and of the submission, which checks may name. */
  verifiers: z.array(z.string()).optional(),
  /** Guards of the installation, the tenant and the agent when the phase began. */
  guards: guardsSchema.optional(),
  /** Overrides of guards that had not expired when the phase began. */
  guardOverrides: z.array(guardOverrideSchema).optional(),
});
