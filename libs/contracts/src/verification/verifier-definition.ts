import { z } from 'zod';
import { allowedHosts, declaredSecrets, environment, findUndeclaredSecret } from '../tools/tool-settings.js';
import { localPathSchema } from '../paths/local-path.js';
import { argvSchema, serviceSchema } from './service.js';
import { countsTests, verifierReadsSchema } from './verifier-reads.js';

const MEGABYTE = 1024 * 1024;

const verifierKinds = ['unit', 'api', 'browser', 'database', 'health', 'lint', 'command'] as const;

/** Files from which programs install dependencies. The set-up of a verifier sees only these files. */
const DEPENDENCY_FILES = [
  ...['**/package.json', '**/package-lock.json', '**/npm-shrinkwrap.json', '**/pnpm-lock.yaml', '**/yarn.lock'],
  ...['**/pnpm-workspace.yaml', '**/.npmrc', '**/requirements*.txt', '**/pyproject.toml', '**/poetry.lock'],
  ...['**/uv.lock', '**/Pipfile', '**/Pipfile.lock', '**/go.mod', '**/go.sum', '**/Cargo.toml', '**/Cargo.lock'],
  ...['**/Gemfile', '**/Gemfile.lock', '**/composer.json', '**/composer.lock'],
];

/** Folders that hold dependencies or what was made from them. Never taken from the files of an agent. */
const DEPENDENCY_FOLDERS = ['node_modules', '.venv', 'venv', '__pycache__', '.pytest_cache'];

/** Longest time that a verifier, and its set-up, can be given in milliseconds. */
export const MAX_VERIFIER_STEP_MS = 3_600_000;

const timeoutMs = z.int().min(100).max(MAX_VERIFIER_STEP_MS);

const setupSchema = z.strictObject({
  argv: argvSchema.describe('Program and arguments, such as [npm, ci]'),
  cacheKey: z
    .array(localPathSchema)
    .min(1)
    .max(100)
    .default(DEPENDENCY_FILES)
    .describe('Globs of the files that the set-up sees, and from whose content the cache is named'),
  timeoutMs: timeoutMs.default(600_000).describe('Maximum time of the set-up'),
  network: allowedHosts.describe('Hosts that the set-up may reach; none if absent'),
});

/** A request that an API must answer, for the kind `api`. */
export const verifierRequestSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).default('GET').describe('Method'),
  url: z
    .url({ protocol: /^http$/, hostname: /^(?:127\.0\.0\.1|localhost)$/ })
    .max(2_000)
    .describe('URL of 127.0.0.1 or localhost'),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().max(4_000))
    .default({})
    .describe('Headers of the request'),
  body: z.unknown().optional().describe('Sent as JSON'),
  status: z.int().min(100).max(599).default(200).describe('Expected status'),
  contains: z.string().min(1).max(1_000).optional().describe('Text that the body contains'),
  empty: z.literal(true).optional().describe('The body may be empty; otherwise an empty body or list fails'),
});
export type VerifierRequest = z.infer<typeof verifierRequestSchema>;

/** A query that must return rows, for the kind `database`. */
export const verifierQuerySchema = z.strictObject({
  sqlite: localPathSchema.describe('Database file of SQLite'),
  sql: z.string().min(1).max(10_000).describe('Query; it cannot write'),
  minRows: z.int().min(1).max(1_000_000).default(1).describe('Minimum number of rows'),
});
export type VerifierQuery = z.infer<typeof verifierQuerySchema>;

const fields = {
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes')
    .describe('Name of the file'),
  description: z.string().max(500).optional().describe('What it checks, for people'),
  kind: z.enum(verifierKinds).optional().describe('What is verified; `command` if absent'),
  folder: localPathSchema
    .optional()
    .describe('Folder of the workspace that all paths are relative to, such as `repository`; the workspace if absent'),
  argv: argvSchema.optional().describe('Program and arguments, run without a shell'),
  requests: z
    .array(verifierRequestSchema)
    .min(1)
    .max(100)
    .optional()
    .describe('For the kind `api`, in place of `argv`: requests with their expected answers'),
  queries: z
    .array(verifierQuerySchema)
    .min(1)
    .max(100)
    .optional()
    .describe('For the kind `database`, in place of `argv`: queries that return rows'),
  screenshots: z
    .array(localPathSchema)
    .min(1)
    .max(20)
    .optional()
    .describe('For the kind `browser`: globs of the screenshots that the run makes, which are kept as evidence'),
  inputs: z
    .array(localPathSchema)
    .max(200)
    .optional()
    .describe('Globs of the files that decide the outcome: tests, configuration of the runner, scripts, lock files'),
  configuration: z
    .array(localPathSchema)
    .max(200)
    .optional()
    .describe(
      'Globs of inputs that nobody may add either, once there are inputs: configuration that would switch off tests',
    ),
  dependencies: z
    .array(z.string().regex(/^[^/\0]{1,200}$/, 'expected the name of a folder'))
    .max(100)
    .optional()
    .describe(`Names of folders that are never taken from the agent; ${DEPENDENCY_FOLDERS.join(', ')} if absent`),
  setup: setupSchema.optional().describe('Installs dependencies into a cache that only it writes'),
  services: z.array(serviceSchema).max(20).optional().describe('Programs that run beside it, on a private loopback'),
  env: environment
    .unwrap()
    .optional()
    .describe('Variables; `${secret:NAME}` is a secret, `${NAME}` a variable of the tool-runner'),
  secrets: declaredSecrets.describe('Names of the secrets that `env` may refer to'),
  network: allowedHosts.describe('Hosts that it may reach; none if absent'),
  path: z.array(z.string().startsWith('/')).optional().describe('Folders searched for programs first'),
  timeoutMs: timeoutMs.optional().describe('Five minutes if absent'),
  maxMemoryBytes: z
    .int()
    .min(16 * MEGABYTE)
    .optional()
    .describe('2 GiB if absent'),
  maxProcesses: z.int().min(1).max(10_000).optional().describe('256 if absent'),
  reads: verifierReadsSchema.optional().describe('How the outcome is read; from the exit code alone if absent'),
  minTests: z.int().min(1).max(1_000_000).optional().describe('Minimum number of tests that must run; 1 if absent'),
};

const { name: nameSchema, env: _env, secrets: _secrets, network: _network, path: _path, ...replaceable } = fields;

/**
 * What a submission, or a file of a repository, may say about a verifier: members that replace those of the agent's definition. Variables,
 * secrets and hosts are for the author of the agent alone: who submits a job must not get at them through a command.
 */
export const verifierOverrideSchema = z.strictObject({
  ...replaceable,
  setup: setupSchema.omit({ network: true }).optional().describe('Replaces the set-up, with the hosts of the agent'),
});
export type VerifierOverride = z.infer<typeof verifierOverrideSchema>;

const commands = ['argv', 'requests', 'queries'] as const;
const kindOf = { requests: 'api', queries: 'database' } as const;

/** A command that checks the work of an agent, from `agents/<name>/verifiers/<verifier>.yaml`. */
export const verifierDefinitionSchema = z.strictObject(fields).superRefine((definition, context) => {
  const report = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  const { kind = 'command', reads, minTests, inputs, env, secrets } = definition;
  const given = commands.filter((name) => definition[name] !== undefined);
  if (given.length !== 1) report('argv', `expected one of ${commands.map((name) => `'${name}'`).join(', ')}`);
  for (const name of ['requests', 'queries'] as const)
    if (definition[name] !== undefined && (kind !== kindOf[name] || reads))
      report(name, `is for the kind '${kindOf[name]}', without 'reads'`);
  if (definition.screenshots && kind !== 'browser') report('screenshots', "is for the kind 'browser'");
  const counts = given[0] !== 'argv' || (reads !== undefined && countsTests(reads));
  if (kind === 'unit' && !counts)
    report('reads', 'expected a report that counts tests, because an exit code cannot show that no test ran');
  if (minTests !== undefined && !counts) report('minTests', 'needs a report that counts tests');
  if (kind === 'unit' && !inputs?.length)
    report('inputs', 'expected globs of the tests and the files that decide which tests run');
  const message = findUndeclaredSecret(Object.values(env ?? {}), secrets);
  if (message !== undefined) report('env', message);
});
export type VerifierDefinition = z.infer<typeof verifierDefinitionSchema>;

/** Returns the folders of a verifier that are never taken from the files of an agent. */
export function listDependencyFolders({ dependencies }: VerifierDefinition): readonly string[] {
  return dependencies ?? DEPENDENCY_FOLDERS;
}

/** A verifier from a file of the job's repository. Only a submission can name one; the file is read at the submitted commit. */
const repositoryVerifierSchema = z.strictObject({
  fromRepository: localPathSchema.describe('Path of the file in the repository'),
});

/** Verifiers of a submission, by name: members that replace those of the agent, or a file of the repository that contains such. */
export const submittedVerifiersSchema = z
  .record(nameSchema, z.union([repositoryVerifierSchema, verifierOverrideSchema]))
  .refine((verifiers) => Object.keys(verifiers).length <= 50, { error: 'expected at most 50 verifiers' })
  .meta({ id: 'Verifiers' });
export type SubmittedVerifiers = z.infer<typeof submittedVerifiersSchema>;

/**
 * Returns the definition of a verifier with the members that a submission replaces. The submission may also define one that the agent does
 * not have. A replaced command, set-up or service gets no secret of the agent. Throws ZodError if the result is not a valid definition.
 */
export function overrideVerifier(
  name: string,
  definition: VerifierDefinition | undefined,
  override: VerifierOverride,
): VerifierDefinition {
  const replacesCommand = commands.some((command) => override[command] !== undefined);
  const runsOther = replacesCommand || override.setup !== undefined || override.services !== undefined;
  const dropped: readonly string[] = [...(replacesCommand ? commands : []), ...(runsOther ? ['env', 'secrets'] : [])];
  const kept = Object.entries(definition ?? {}).filter(([key]) => !dropped.includes(key));
  const setup = override.setup && { ...override.setup, network: definition?.setup?.network };
  const merged = { ...Object.fromEntries(kept), ...override, ...(setup ? { setup } : {}), name };
  return verifierDefinitionSchema.parse(merged);
}

/** Cases of a verifier that prove a feature: tests by name, or requests or queries in place of its own. */
export interface VerifierCases {
  readonly tests?: readonly string[];
  readonly requests?: readonly VerifierRequest[];
  readonly queries?: readonly VerifierQuery[];
}

/** Replaces what a verifier runs by the requests or queries of a feature. Services, set-up and files stay; tests change nothing. */
export function overrideCases(
  definition: VerifierDefinition,
  { requests, queries }: VerifierCases,
): VerifierDefinition {
  if (!requests && !queries) return definition;
  const {
    argv: _argv,
    requests: _requests,
    queries: _queries,
    reads: _reads,
    minTests: _minTests,
    screenshots: _screenshots,
    ...kept
  } = definition;
  return requests
    ? { ...kept, kind: 'api', requests: [...requests] }
    : { ...kept, kind: 'database', queries: [...queries!] };
}
