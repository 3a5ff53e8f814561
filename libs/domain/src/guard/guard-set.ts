import { allowedHosts, declaredSecrets } from '@phaseline/contracts';
import { z } from 'zod';
import { guardFileSchemas } from './guard-file.js';
import { hookPoints } from './guard-vocabulary.js';

/** File that describes an imported guard set; the files of the set are in the folder `files` beside it. */
export const GUARD_SET_FILE = 'guard-set.yaml';
export const GUARD_SET_FILES = 'files';

/** Folder of the workspace with the files of imported guard sets, one folder per set. No agent can change it. */
export const GUARD_SETS_DIRECTORY = 'guard_sets';

/** Members of the file that describes an imported guard set. */
const { name, owner, description, stage, workflows } = guardFileSchemas;
export const guardSetSchemas = {
  name: name.describe('Name of the guard set, as the name of its folder'),
  owner,
  description,
  stage,
  workflows,
  version: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex, as the import writes it')
    .describe('Hash of the files of the set; the import writes it'),
  network: allowedHosts.describe('Hosts that the hooks may reach; none by default'),
  secrets: declaredSecrets.describe('Secrets that the hooks receive as variables of the same names; none by default'),
  idempotent: z
    .boolean()
    .default(false)
    .describe('Whether a hook may be asked again after a crash; without it, a hook whose process died denies'),
};
export const guardSetSchema = z.strictObject(guardSetSchemas);
export type GuardSet = z.infer<typeof guardSetSchema>;

const hookTermsSchema = z.object({
  /** Unique in its guard set: the event and a number, such as `PreToolUse-2`. */
  name: z.string(),
  point: z.enum(hookPoints),
  matcher: z.string().exactOptional(),
  /** A permission rule that the call must match, such as `Bash(git *)`. */
  condition: z.string().exactOptional(),
  timeoutSeconds: z.number().positive(),
});

/** A program that is asked at a hook point. */
const commandHandlerSchema = hookTermsSchema.extend({
  kind: z.literal('command'),
  /** A command line for the shell, or a program if there are `args`. */
  command: z.string(),
  args: z.array(z.string()).exactOptional(),
  shell: z.enum(['sh', 'bash']),
  onFailure: z.enum(['deny', 'continue']),
  /** An asynchronous hook only observes: its result is not read. */
  observes: z.boolean(),
});

/** Body of a guard of the kind `command`: one hook of a guard set, whose files are in the workspace below `GUARD_SETS_DIRECTORY`. */
export const commandBodySchema = z.object({
  set: z.string(),
  setVersion: z.string(),
  handler: commandHandlerSchema,
  /** Variables that the settings of the set give to its hooks. */
  env: z.record(z.string(), z.string()),
  network: z.array(z.string()),
  secrets: z.array(z.string()),
});
export type CommandBody = z.infer<typeof commandBodySchema>;

/** Folder of the workspace with the files of a guard set. */
export function guardSetFolder(set: string): string {
  return `${GUARD_SETS_DIRECTORY}/${set}`;
}
